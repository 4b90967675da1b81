import { type AnyBrowser, ENGINES, KEY } from '@quickquote/dev-servers/engines'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ACME, DEMO_PASSWORD } from '../../examples/demo/src/members.ts'
import { useExample } from '../demo/example-process.ts'
import { member, PATIENCE } from './portal-browser.ts'

const CONTROL = { withControl: true }
const EMAIL = 'admin@acme.example'

for (const { name, isInstalled } of ENGINES) {
  if (!isInstalled) console.log(`Skipped: the portal in ${name}. See CONTRIBUTING.md for what to install.`)
}
const walked = ENGINES.filter(({ isInstalled }) => isInstalled || process.env['CI'] !== undefined)

/** Scripts find what is in the topmost dialog or open menu, if there is one, because the rest is inert. */
const FIND = `
  const top = [...document.querySelectorAll('dialog[open], [popover]:popover-open')].at(-1) ?? document
  const find = (css, text) => [...top.querySelectorAll(css)].find((element) =>
    element.getClientRects().length > 0 && (text === undefined ||
      [element.textContent.trim(), element.getAttribute('aria-label')].includes(text)))
  const row = (text) => [...document.querySelectorAll('tbody tr')].find(({ textContent }) => textContent.includes(text))
`
const BUTTON = 'button, a, summary, [role=menuitem]'
const quoted = JSON.stringify

/** A member at the mouse and the keyboard of any browser. */
function memberAt(browser: AnyBrowser) {
  const run = <T>(script: string) => browser.run<T>(`${FIND} ${script}`)
  const waitFor = (script: string, what = script) =>
    expect.poll(() => run(`return Boolean(${script})`), { ...PATIENCE, message: what }).toBe(true)
  /** The middle of an element, where the mouse must meet it. */
  async function middle(element: string, across = 0.5): Promise<{ x: number; y: number }> {
    await waitFor(element)
    // Once it stands still: a menu is placed after it has opened.
    const [x = 0, y = 0, met] = await run<[number, number, string | null]>(`
      const place = () => {
        const box = ${element}.getBoundingClientRect()
        return [box.x + box.width * ${across}, box.y + box.height / 2]
      }
      ${element}.scrollIntoView({ block: 'center' })
      let [before, now] = [[], place()]
      while (String(before) !== String(now)) {
        await new Promise((resolve) => setTimeout(resolve, 50))
        ;[before, now] = [now, place()]
      }
      const met = document.elementFromPoint(...now)
      return [...now, ${element}.contains(met) ? null : String(met?.outerHTML.slice(0, 200))]`)
    expect(met, element).toBeNull()
    return { x, y }
  }
  const click = async (text: string) =>
    browser.mouse(await middle(`find(${quoted(BUTTON)}, ${quoted(text)})`))
  return {
    run,
    waitFor,
    middle,
    click,
    rowAt: (text: string, across?: number) => middle(`row(${quoted(text)})`, across),
    heading: (text: string) => waitFor(`find('h1, h2', ${quoted(text)})`),
    seen: (text: string) =>
      waitFor(`(top === document ? document.body : top).innerText.includes(${quoted(text)})`),
    /** What a screen reader announces, where it can hear it: in the dialog, if there is one. */
    told: (text: string) =>
      waitFor(
        `[...top.querySelectorAll('[role=status]')].some((each) => (top !== document || !each.closest('dialog')) && each.textContent.includes(${quoted(text)}))`,
      ),
    async fill(label: string, text: string) {
      await browser.mouse(await middle(`find('label', ${quoted(label)}).control`))
      await browser.type(text)
    },
  }
}

describe.runIf(walked.length > 0)('The portal in each engine of browsers', () => {
  const server = useExample({ PIPELINE_STEP_MS: '20', RETRY_MS: '600000' })

  it.each(walked)('In $name: from a key to a replay, by mouse and keyboard', async ({ name, open }) => {
    const browser = await open()
    onTestFinished(() => browser.close())
    console.log(`The portal is tried in ${name} ${browser.version}.`)
    const admin = await member(server.url, EMAIL)
    // Its failing ones would be counted in the name of a tab.
    for (const { id } of await admin.send<{ id: string }[]>('GET', '/webhooks', 200)) {
      await admin.send('PATCH', `/webhooks/${id}`, 200, { is_enabled: false })
    }
    const { run, waitFor, click, middle, rowAt, heading, seen, told, fill } = memberAt(browser)
    const secret = () => run<string>(`return top.querySelector('.secret code').textContent`)

    await browser.goto(server.url)
    await run(`await fetch('/login', { method: 'POST', headers: { 'content-type': 'application/json' },
      body: ${quoted(quoted({ email: EMAIL, password: DEMO_PASSWORD }))} })`)
    await browser.goto(`${server.url}/portal/#/${ACME}/api-keys`)

    // A key: a dialog as high as its fields, and what it answers is announced within it.
    await heading('API keys')
    await click('Create key')
    await heading('Create key')
    const height = `top.querySelector('.dialog-body').clientHeight - top.querySelector('form').offsetHeight`
    expect(await run(`return ${height}`)).toBeLessThan(40)
    await fill('Name', `Key of ${name}`)
    await browser.type(KEY.enter)
    await told('It is shown only once.')
    expect(await secret()).toMatch(/^pk_/)
    await browser.type(KEY.escape)
    for (let times = 0; times < 2; times += 1) {
      await run(`top.querySelector('[role=status]').textContent = ''`)
      await click('Copy')
      await told('opied')
      await waitFor(`find('button', 'Copy')`)
    }
    await click('I have stored it')
    await told(`The key “Key of ${name}” was created`)

    // Two endpoints, of which one fails.
    await click('Endpoints')
    await heading('Endpoints')
    await admin.answer('broken')
    for (const each of ['First', 'Second']) {
      await click('Add an endpoint')
      await fill('Name', `${each} of ${name}`)
      await fill('URL', admin.receiver)
      await click('More options')
      await browser.mouse(
        await middle(`find('label', 'All quotesIncluding quotes that people start in the web app.')`),
      )
      await browser.type(KEY.enter)
      await waitFor(`top.querySelector('.secret')`)
      await admin.trust(await secret())
      await click('I have stored it')
      await heading(`${each} of ${name}`)
      await browser.goto(`${server.url}/portal/#/${ACME}/endpoints`)
    }

    // The mouse anywhere on a row, and Back.
    for (const each of ['First', 'Second']) {
      await browser.mouse(await rowAt(`${each} of ${name}`, 0.6))
      await heading(`${each} of ${name}`)
      await browser.back()
      await heading('Endpoints')
    }
    await run(`window.open = (url) => { window.opened = url }`)
    for (const how of name === 'WebKit' ? [CONTROL] : [CONTROL, { isMiddle: true }]) {
      await browser.mouse(await rowAt(`First of ${name}`, 0.6), how)
      await waitFor(`window.opened?.includes('/endpoints/')`)
      await run(`window.opened = null`)
    }
    const url = `row('First of ${name}').querySelector('.url .one-line')`
    await browser.mouse(await middle(url, 0.02), { to: await middle(url, 0.3) })
    expect(await run(`return getSelection().toString()`)).not.toBe('')
    await run(`getSelection().removeAllRanges()`)
    expect(await run(`return document.querySelector('h1').textContent`)).toBe('Endpoints')

    // A failed delivery is found, and sent again.
    await admin.quote(`Quote of ${name}`)
    await click('Deliveries')
    await click('Retrying')
    await browser.mouse(await rowAt(`Second of ${name}Quote of ${name}`, 0.7))
    await heading('quotation.failed')
    await seen('500 Internal Server Error')
    await admin.answer('ok')
    await click('Resend now')
    await told('The event is being sent again')
    await seen('Resend of')
    await browser.back()
    await heading('quotation.failed')
    await browser.back()
    await heading('Deliveries')
    await waitFor(`find('[aria-pressed=true]', 'Retrying')`)

    await click('Replay…')
    await waitFor(`find('label', 'AllIncluding those that were delivered.')`)
    await click('Cancel')
    await browser.goto(`${server.url}/portal/#/${ACME}/endpoints`)
    await browser.mouse(await rowAt(`Second of ${name}`))
    await heading(`Second of ${name}`)
    await click('Rotate…')
    await heading(`Rotate the secret of “Second of ${name}”`)
    await click('Issue a new secret')
    await told('It is shown only once.')
    await admin.trust(await secret())
    await click('I have stored it')
    await told('The secret was rotated')
    await click(`More actions for Second of ${name}`)
    await click('Replay…')
    await heading('Replay events')
    await browser.mouse(await middle(`find('label', 'AllIncluding those that were delivered.')`))
    await seen('will be sent.')
    await click('Start the replay')
    await heading('Replay completed')
    await click('Close')
    await click('Rotate…')
    await heading(`Rotate the secret of “Second of ${name}”`)
  })
})
