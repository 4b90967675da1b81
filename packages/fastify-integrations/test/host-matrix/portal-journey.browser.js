// Runs in the page: a member's steps, found by their texts. The demo's tests take them by mouse and by keyboard; for every host
// of the matrix, one call for each step would double the CPU time.

const LIMIT_MS = 60_000

/** Waits until something is there. */
function until(find, what) {
  return new Promise((resolve, reject) => {
    const look = () => {
      const found = find()
      if (!found) return
      clearTimeout(timer)
      observer.disconnect()
      resolve(found)
    }
    const observer = new MutationObserver(look)
    const timer = setTimeout(() => {
      observer.disconnect()
      reject(new Error(`There is no ${what} in:\n${document.body.textContent}`))
    }, LIMIT_MS)
    observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true })
    look()
  })
}

const see = (selector, ...texts) =>
  until(
    () =>
      [...document.querySelectorAll(selector)].find(
        ({ disabled, textContent }) => !disabled && texts.every((text) => textContent.includes(text)),
      ),
    `${selector} with ${texts}`,
  )

const press = async (selector, text) => (await see(selector, text)).click()

async function type(label, text) {
  const { control } = await see('label', label)
  control.value = text
  control.dispatchEvent(new Event('input', { bubbles: true }))
}

async function storeSecret() {
  const { textContent } = await see('.secret code', '_')
  await press('dialog button', 'I have stored it')
  return textContent
}

globalThis.member = {
  async createsKey() {
    await see('.empty', 'No API key yet')
    await press('main button', 'Create key')
    await type('Name', 'CRM')
    await press('dialog [type=submit]', 'Create key')
    const key = await storeSecret()
    await see('tr', 'Active')
    return key
  },

  async addsEndpoint(url) {
    await press('nav a', 'Endpoints')
    await see('.empty', 'No endpoint yet')
    await press('main button', 'Add an endpoint')
    await type('Name', 'CRM')
    await type('URL', url)
    await press('form [type=submit]', 'Add an endpoint')
    // A separate file, which is loaded now.
    await see('dialog .code', 'fastifyWebhooks')
    const secret = await storeSecret()
    await see('h1', 'CRM')
    return secret
  },

  async sendsTest() {
    await press('main button', 'Send a test')
    await press('dialog [type=submit]', 'Send')
    await see('.result', 'Your receiver responded with 204.')
    // Enabled once nothing is running: leaving earlier is asked about.
    await see('dialog [type=submit]', 'Send')
    await press('.result a', 'See the request and the response')
    await see('main', '204 No Content')
  },

  async replays() {
    await press('nav a', 'Deliveries')
    await see('tr', 'Website', 'Delivered')
    await press('main button', 'Replay…')
    await press('dialog label', 'Including those that were delivered.')
    await see('dialog', '1 event will be sent.')
    await press('dialog [type=submit]', 'Start the replay')
    await see('dialog h2', 'Replay completed')
    await press('dialog button', 'Close')
  },

  async readsOn() {
    await press('nav a', 'Events')
    await press('summary', 'quotation.failed')
    await see('.code', '"generation_source"')
    await press('nav a', 'Audit log')
    await see('tr', 'Started a replay to CRM')
  },

  async seesTabs() {
    await see('.empty', 'No API key yet')
    return [...document.querySelectorAll('nav a')].map(({ textContent }) => textContent)
  },
}
