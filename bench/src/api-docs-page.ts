import assert from 'node:assert/strict'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import { openBrowser } from '@quickquote/dev-servers/browser'
import Fastify from 'fastify'
import type { Bench } from './bench.ts'
import { atMost } from './goal.ts'
import { startPartnerHost } from './http-contender.ts'
import { createPartnerData } from './partner-data.ts'
import { type Contender, type Measured, medianOf, ratioOf, takeTurns } from './rounds.ts'
import { percent } from './table.ts'

type PageFigures = {
  /** From navigation until an operation is painted. */
  readonly seenMs: number
  /** Until it can be opened. */
  readonly usableMs: number
  /** From a click until its responses are shown. */
  readonly openedMs: number
  /** On the wire. */
  readonly kilobytes: number
}

export const apiDocsPage: Bench = {
  name: 'api-docs-page',
  title: 'The first operation of the API documentation in Chromium, against @fastify/swagger-ui as it comes',

  async run(context) {
    const data = await createPartnerData(await context.postgres.createDatabase(), {
      schema: 'quickquote',
      keys: 1,
    })
    const { origin } = await startPartnerHost(context, data)
    const document = await (await fetch(`${origin}/api-docs/json`)).json()
    const app = Fastify()
    await app.register(swagger, { mode: 'static', specification: { document: document as never } })
    await app.register(swaggerUi, {
      routePrefix: '/api-docs',
      uiConfig: { layout: 'BaseLayout', docExpansion: 'list' },
    })
    const plain = await app.listen({ port: 0, host: '127.0.0.1' })
    const browser = await openBrowser()

    /** Each time with an empty cache. */
    const page = (name: string, url: string): Contender<PageFigures> => ({
      name,
      async measure() {
        const opened = await browser.newContext()
        try {
          const page = await opened.newPage()
          await page.addInitScript(WATCH)
          await page.goto(`${url}/api-docs`)
          await page.waitForFunction('watched.usableMs > 0')
          return (await page.evaluate(OPEN)) as PageFigures
        } finally {
          await opened.close()
        }
      },
    })

    try {
      const [ours, base] = await takeTurns([page('ours', origin), page('swagger-ui', plain)], {
        rounds: context.rounds,
        onRound: context.progress,
      })
      assert(ours !== undefined && base !== undefined)
      return {
        head: ['', ...FIGURES],
        rows: [
          ...[ours, base].map((each) => [
            each.name,
            ...FIGURES.map((figure) => medianOf(each, figure).toFixed(0)),
          ]),
          ['ratio', ...FIGURES.map((figure) => percent(ratioOf(ours, base, figure).median))],
        ],
        notes: [
          'Both have the same document. Ours lists the operations in the page, before swagger-ui has started.',
        ],
        goals: [goalOf(ours, base)],
      }
    } finally {
      await browser.close()
      await app.close()
    }
  },
}

const FIGURES = ['seenMs', 'usableMs', 'openedMs', 'kilobytes'] as const

function goalOf(ours: Measured<PageFigures>, base: Measured<PageFigures>) {
  const value = ratioOf(ours, base, 'seenMs').median
  return atMost({ goal: 'first operation of the documentation', value, must: 1 / 3, format: percent })
}

// In the browser. Painted is two frames after the element is there.
const WATCH = `
  globalThis.watched = {}
  const painted = (selector, name) => {
    let isThere = false
    const look = () => {
      if (isThere || !document.querySelector(selector)) return
      isThere = true
      requestAnimationFrame(() => requestAnimationFrame(() => (watched[name] = performance.now())))
    }
    new MutationObserver(look).observe(document, { childList: true, subtree: true })
  }
  painted('.opblock', 'seenMs')
  painted('button.opblock-summary-control', 'usableMs')
`
const OPEN = `(async () => {
  const bytes = performance.getEntriesByType('resource').reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)
  const clicked = performance.now()
  document.querySelector('button.opblock-summary-control').click()
  await new Promise((resolve) => {
    const timer = setInterval(() => {
      if (!document.querySelector('.opblock-body .responses-table')) return
      clearInterval(timer)
      resolve()
    }, 5)
  })
  return { ...watched, openedMs: performance.now() - clicked, kilobytes: bytes / 1000 }
})()`
