// The page at `/`. It uses only the API, as a partner and as a member.
import { call, lines, Problem } from './api.js'

const POLL_MS = 2000
const KEY_LIFETIME_DAYS = 30
const ENDPOINT_NAME = 'playground: the receiver of the page'
const SHOWN = 40

const byId = (id) => document.getElementById(id)

/** The signed-in member and their data. Secrets are kept only here, until the page closes. */
let member = null
let apiKey
let endpoint
let files = []
/** Arrivals of each event: a retry has the same ID. */
const arrivals = new Map()
let signedIn = new AbortController()

const organization = () => `/v1/organizations/${member.organization_id}`
const asMember = (path, options = {}) => {
  if (member === null) throw new Error('Sign in first.')
  return call(path, options)
}
const asPartner = (path, options = {}) => call(path, { ...options, key: apiKey })

// ── Elements ────────────────────────────────────────────────────────────────

/** Text is never parsed as HTML. */
function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(properties)) {
    if (name === 'class') made.className = value
    else made[name] = value
  }
  made.append(...children)
  return made
}

const badge = (text, tone = '') => element('span', { class: `badge ${tone}` }, text)
const spoken = (name) => name.replaceAll('_', ' ')
const clock = (timestamp) => {
  const date = new Date(timestamp)
  return element('time', { dateTime: date.toISOString() }, date.toLocaleTimeString())
}

function button(text, onClick) {
  const made = element('button', { type: 'button', class: 'small' }, text)
  made.addEventListener('click', () => attempt(onClick, made))
  return made
}

function tell(text) {
  byId('notice').textContent = text
}

/** Runs an action; an error is shown at the top of the page. */
async function attempt(work, pressed) {
  byId('alert').hidden = true
  if (pressed) pressed.disabled = true
  try {
    await work()
  } catch (error) {
    const code = error instanceof Problem && error.code ? `${error.code} (${error.status}): ` : ''
    byId('alert').textContent = `${code}${error.message}`
    byId('alert').hidden = false
  } finally {
    if (pressed) pressed.disabled = false
  }
}

function onSubmit(id, work) {
  byId(id).addEventListener('submit', (event) => {
    event.preventDefault()
    attempt(() => work(event.submitter), event.submitter)
  })
}

/** Repeats while the member is signed in. Ignores failures: the next turn tries again. */
async function repeat(work) {
  const { signal } = signedIn
  while (!signal.aborted) {
    await work().catch(() => {})
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

// ── 1. Sign in ──────────────────────────────────────────────────────────────

const members = await call('/play/members')
for (const { email, role } of members) {
  byId('member').append(element('option', { value: email }, `${email} (${role})`))
}

onSubmit('sign-in', async () => {
  const { email, password } = members.find((each) => each.email === byId('member').value)
  await call('/login', { body: { email, password } })
  // Returns to the portal if it sent the member here; never to another site.
  const next = new URLSearchParams(location.search).get('next')
  if (next !== null && new URL(next, location.origin).origin === location.origin) location.replace(next)
  else await enter(await call('/play/session'))
})

byId('sign-out').addEventListener('click', ({ target }) =>
  attempt(async () => {
    await call('/play/sign-out', { method: 'POST' })
    location.reload()
  }, target),
)

/** The session cookie survives a reload. */
async function enter({ email, role, organization_id }) {
  signedIn.abort()
  signedIn = new AbortController()
  member = { email, role, organization_id }
  apiKey = undefined
  endpoint = undefined
  arrivals.clear()
  for (const id of ['quotes', 'webhooks']) byId(id).replaceChildren()
  for (const id of ['no-quotes', 'no-webhooks']) byId(id).hidden = false
  byId('new-key').hidden = true
  byId('member').value = email
  byId('sign-out').hidden = false
  byId('who').textContent =
    `You are ${email}. ${role === 'admin' ? 'Admins manage webhooks.' : 'Plain members create keys, but may not see webhooks.'}`
  for (const link of document.querySelectorAll('[data-portal]')) {
    link.href = `/portal/#/${organization_id}/${link.dataset.portal}`
  }
  byId('workspace').hidden = false
  tell(`Signed in as ${email}`)
  await showReceiver()
  showEndpoint()
  void watchWebhooks()
  void repeat(showQuotes)
}

// ── 2. API keys ─────────────────────────────────────────────────────────────

onSubmit('make-key', async () => {
  const expires = new Date(Date.now() + KEY_LIFETIME_DAYS * 86_400_000)
  const { key } = await asMember(`${organization()}/api-keys`, {
    body: { name: byId('key-name').value, expires_at: expires.toISOString() },
  })
  apiKey = key
  byId('new-key-value').textContent = key
  byId('new-key').hidden = false
  tell('The key was created')
})

byId('copy-key').addEventListener('click', () =>
  attempt(async () => {
    await navigator.clipboard.writeText(apiKey)
    tell('Copied')
  }),
)

// ── 3. The receiver and its endpoint ────────────────────────────────────────

async function showReceiver(change) {
  const inbox = await asMember('/play/inbox', change === undefined ? {} : { method: 'PATCH', body: change })
  byId('receiver-url').textContent = inbox.url
  for (const radio of document.getElementsByName('behaviour')) radio.checked = radio.value === inbox.behaviour
  return inbox
}

byId('behaviours').addEventListener('change', ({ target }) =>
  attempt(() => showReceiver({ behaviour: target.value })),
)

function showEndpoint() {
  byId('endpoint').textContent =
    endpoint === undefined
      ? 'Not connected: nothing is sent to it yet.'
      : `Connected to ${endpoint.events.length} events, signed with a secret that ends in ${endpoint.secret_hint.slice(-4)}.`
}

byId('connect').addEventListener('click', ({ target }) =>
  attempt(async () => {
    const { url } = await showReceiver()
    const webhooks = `${organization()}/webhooks`
    const known = (await asMember(webhooks)).find(({ name }) => name === ENDPOINT_NAME)
    if (known === undefined) {
      const events = (await asMember(`${webhooks}/events`)).map(({ type }) => type)
      endpoint = await asMember(webhooks, {
        body: { name: ENDPOINT_NAME, url, events, trigger_mode: 'always' },
      })
    } else {
      await asMember(`${webhooks}/${known.id}`, {
        method: 'PATCH',
        body: { url, is_enabled: true, trigger_mode: 'always' },
      })
      endpoint = await asMember(`${webhooks}/${known.id}/rotate-secret`, { body: {} })
    }
    await showReceiver({ secret: endpoint.secret })
    showEndpoint()
    tell('The receiver is connected')
  }, target),
)

onSubmit('trust', async () => {
  await showReceiver({ secret: byId('trust-secret').value.trim() })
  byId('trust-secret').value = ''
  tell('The receiver verifies with this secret')
})

// ── 4. Start a quote ────────────────────────────────────────────────────────

function takeFiles(added) {
  files = [...files, ...added]
  byId('file-list').replaceChildren(
    ...files.map((file) =>
      element(
        'li',
        {},
        file.name,
        button('Remove', () => {
          files = files.filter((each) => each !== file)
          takeFiles([])
        }),
      ),
    ),
  )
}

byId('quote-files').addEventListener('change', ({ target }) => {
  takeFiles(target.files)
  target.value = ''
})
for (const type of ['dragover', 'dragleave', 'drop']) {
  byId('drop').addEventListener(type, (event) => {
    event.preventDefault()
    byId('drop').classList.toggle('over', type === 'dragover')
    if (type === 'drop') takeFiles(event.dataTransfer.files)
  })
}

onSubmit('start', async (submitter) => {
  const failAt = byId('fail-at').value
  const fields = {
    name: byId('quote-name').value,
    requirementsText: byId('quote-text').value,
    ...(failAt === '' ? {} : { metadata: { demo: { fail_at: failAt } } }),
  }
  await (submitter?.value === 'ui' ? startAsMember(fields) : startAsPartner(fields))
  files = []
  takeFiles([])
  tell('The quote was started')
  await showQuotes()
})

function startAsMember(fields) {
  if (files.length > 0)
    throw new Error('The web app of this example takes text only. Start with the API key to send files.')
  return asMember('/quotes', { body: { ...fields, organization_id: member.organization_id } })
}

function startAsPartner(fields) {
  if (apiKey === undefined) throw new Error('Create an API key first. A partner needs it to start quotes.')
  const path = '/v1/integrations/quotations'
  if (files.length === 0) return asPartner(path, { body: fields })
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (value !== '') form.append(name, typeof value === 'string' ? value : JSON.stringify(value))
  }
  for (const file of files) form.append('files', file)
  return asPartner(path, { body: form })
}

// ── 5. Quotes ───────────────────────────────────────────────────────────────

/** The newest quotes of the organization. Replaces only rows that changed. */
async function showQuotes() {
  const quotes = await asMember('/play/quotes')
  byId('no-quotes').hidden = quotes.length > 0
  const rows = quotes.map((quote) => {
    const shown = byId(`quote-${quote.id}`)
    const state = JSON.stringify(quote)
    return shown?.dataset.state === state ? shown : quoteRow(quote, state)
  })
  const list = byId('quotes')
  if (rows.some((row, index) => list.children[index] !== row)) list.replaceChildren(...rows)
}

function quoteRow({ id, name, source, status, error_code, steps }, state) {
  const tone = { completed: 'good', failed: 'bad' }[status] ?? 'wait'
  const row = element(
    'li',
    { id: `quote-${id}` },
    element(
      'h3',
      {},
      name || 'A quote without a name',
      badge(error_code ?? status, tone),
      badge(source === 'ui' ? 'started by a member' : 'started by a partner'),
      ...(status === 'completed'
        ? [element('a', { href: `/play/quotes/${id}/document`, target: '_blank' }, 'Open the proposal')]
        : []),
    ),
    element(
      'ol',
      { class: 'steps' },
      ...steps.map((each) =>
        element(
          'li',
          { class: each.status },
          spoken(each.step),
          element('br'),
          element('small', {}, each.status),
        ),
      ),
    ),
  )
  row.dataset.state = state
  return row
}

// ── 6. Webhooks, live ──────────────────────────────────────────

async function watchWebhooks() {
  const { signal } = signedIn
  try {
    for await (const webhook of lines('/play/inbox/webhooks', { signal })) showWebhook(webhook)
  } catch {
    if (!signal.aborted) setTimeout(watchWebhooks, POLL_MS)
  }
}

function showWebhook({ received_at, headers, body, event, refusal, repeated, status }) {
  byId('no-webhooks').hidden = true
  const listed = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const arrival = (arrivals.get(event?.id) ?? 0) + 1
  if (event !== null) arrivals.set(event.id, arrival)
  byId('webhooks').prepend(
    element(
      'li',
      {},
      element(
        'details',
        {},
        element(
          'summary',
          {},
          clock(received_at),
          element('strong', {}, event?.type ?? 'a webhook'),
          event === null ? badge(`refused: ${refusal}`, 'bad') : badge('signature verified', 'good'),
          ...(arrival > 1 ? [badge(`arrival ${arrival}`, 'wait')] : []),
          ...(repeated ? [badge('received before', 'wait')] : []),
          badge(status === null ? 'no answer' : `answered ${status}`, status === 204 ? 'good' : 'bad'),
        ),
        element('pre', {}, listed.join('\n')),
        element('pre', {}, event === null ? body : JSON.stringify(JSON.parse(body), null, 2)),
      ),
    ),
  )
  while (byId('webhooks').children.length > SHOWN) byId('webhooks').lastElementChild.remove()
}

const session = await call('/play/session')
if (session.email !== null) await attempt(() => enter(session))
document.documentElement.dataset.ready = 'true'
