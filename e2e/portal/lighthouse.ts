import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { installed } from '@quickquote/dev-servers'
import type { Page } from '@quickquote/dev-servers/browser'

/** No dependency of the workspace: with its own, it is as large as all others. The last version for Node 20. */
const PACKAGES = ['lighthouse@12.8.2']

/** What we use of Lighthouse, and of the Puppeteer that it brings. */
type Snapshot = (page: unknown, options: { flags: object }) => Promise<{ lhr: Report }>
interface Report {
  readonly categories: { readonly accessibility: { readonly score: number } }
  readonly audits: Readonly<Record<string, Audit>>
}
interface Audit {
  readonly id: string
  readonly score: number | null
  readonly details?: { readonly items?: readonly { readonly node?: { readonly snippet: string } }[] }
}
interface Puppeteer {
  connect(options: object): Promise<{ pages(): Promise<{ url(): string }[]>; disconnect(): Promise<void> }>
}

/** Only what the page shows at the moment: nothing is loaded again, and nothing about the browser is changed. */
const FLAGS = {
  onlyCategories: ['accessibility'],
  logLevel: 'error',
  disableFullPageScreenshot: true,
  formFactor: 'desktop',
  screenEmulation: { disabled: true },
  emulatedUserAgent: false,
}

/** Lighthouse on pages of a browser that is open already. */
export interface Lighthouse {
  /** The score for accessibility, of 100, and the audits that found something, with the elements. */
  accessibilityOf(page: Page): Promise<{ score: number; found: unknown[] }>
  remove(): Promise<void>
}

/** Installs it. */
export async function installLighthouse(debuggingPort: number): Promise<Lighthouse> {
  const { folder, remove } = await installed(PACKAGES)
  const { resolve } = createRequire(join(folder, 'package.json'))
  const load = (name: string) => import(pathToFileURL(resolve(name)).href)
  const { snapshot }: { snapshot: Snapshot } = await load('lighthouse')
  const { default: puppeteer }: { default: Puppeteer } = await load('puppeteer-core')
  // Each time it would measure for a second how fast this machine is.
  const { pageFunctions } = await load('lighthouse/core/lib/page-functions.js')
  pageFunctions.computeBenchmarkIndex = () => 1000
  return {
    remove,
    async accessibilityOf(page) {
      const browserURL = `http://127.0.0.1:${debuggingPort}`
      const browser = await puppeteer.connect({ browserURL, defaultViewport: null })
      try {
        const pages = await browser.pages()
        const same = pages.find((each) => each.url() === page.url())
        const { audits, categories } = (await snapshot(same, { flags: FLAGS })).lhr
        return {
          score: categories.accessibility.score * 100,
          found: Object.values(audits)
            .filter(({ score }) => score !== null && score < 1)
            .map(({ id, details }) => [id, ...(details?.items ?? []).map(({ node }) => node?.snippet)]),
        }
      } finally {
        await browser.disconnect()
      }
    },
  }
}
