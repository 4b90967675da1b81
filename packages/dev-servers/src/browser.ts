import { existsSync } from 'node:fs'
import type { Browser, Locator, Page } from 'playwright-core'

export type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'

// The first is the lightest: a page costs a fifth of the CPU time.
const PLACES = [
  ...['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map(
    (name) => `/usr/bin/${name}`,
  ),
  ...['Google Chrome', 'Chromium'].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`),
]
const installed = process.env['CHROMIUM'] || PLACES.find((path) => existsSync(path))

/** One process for all pages: starting another one takes longer than most pages run. */
const FEW_PROCESSES = [
  ...['--disable-gpu', '--in-process-gpu', '--renderer-process-limit=1', '--process-per-site'],
  '--disable-site-isolation-trials',
]

/** Whether a Chromium is installed, or named by CHROMIUM. */
export const hasChromium = installed !== undefined
if (!hasChromium)
  console.log('Skipped: tests in Chromium. Install it, or set CHROMIUM to its path, to run them.')

/** @param debuggingPort where other programs can reach it too */
export async function openBrowser(debuggingPort?: number): Promise<Browser> {
  if (installed === undefined) throw new Error('Chromium not found: install it, or set CHROMIUM to its path.')
  const isRoot = process.getuid?.() === 0
  const args = [
    ...FEW_PROCESSES,
    ...(isRoot ? ['--no-sandbox'] : []),
    ...(debuggingPort === undefined ? [] : [`--remote-debugging-port=${debuggingPort}`]),
  ]
  // Half a second of processor time, which files without a page save.
  const { chromium } = await import('playwright-core')
  return chromium.launch({ executablePath: installed, args })
}

/** The page's errors, as they occur: of scripts, of its content policy, and of requests. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = []
  page.on('pageerror', ({ message }) => complaints.push(message))
  page.on('dialog', (dialog) => void complaints.push(dialog.message()))
  page.on('console', (line) => {
    if (line.type() === 'error') complaints.push(line.text())
  })
  return complaints
}

export const button = (page: Page, name: string | RegExp): Locator =>
  page.getByRole('button', { name, exact: typeof name === 'string' })
export const dialog = (page: Page): Locator => page.getByRole('dialog')
export const row = (page: Page, text: string): Locator => page.getByRole('row').filter({ hasText: text })

/** A property of an element's computed style. */
export function styleOf(locator: Locator, property: string): Promise<string> {
  // A string, because the tests are compiled without DOM types.
  const read = new Function('element', 'property', 'return getComputedStyle(element)[property]')
  return locator.evaluate(read as (element: unknown, property: string) => string, property)
}
