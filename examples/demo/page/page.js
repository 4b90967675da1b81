// The page at `/`: everything through the API, as a partner and as a member would.
import { call, lines, Problem } from './api.js'

const POLL_MS = 2000
const KEY_LIFETIME_DAYS = 30
const ENDPOINT_NAME = 'playground: the receiver of the page'
const SHOWN = 40

const byId = (id) => document.getElementById(id)

/** Who is signed in, and what belongs to that. Secrets live here only, and are gone with the page. */
let member = null
let apiKey
let endpoint
let files = []
const quotes = new Map()
/** How often each event came: a retry brings it again, under the same id. */
const arrivals = new Map()
let signedIn = new AbortController()

const organization = () => `/v1/organizations/${member.organization_id}`
const asMember = (path, options = {}) => call(path, { ...options, token: member.token })
const asPartner = (path, options = {}) => call(path, { ...options, key: apiKey })

// ── Elements ────────────────────────────────────────────────────────────────

/** Text is always text: nothing that came over the wire is read as HTML. */
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

/** Runs what a person asked for; what goes wrong is said at the top of the page. */
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

/** Repeats for as long as the member is signed in; a failure is silent, the next turn tries again. */
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
  const { email, password, role } = members.find((each) => each.email === byId('member').value)
  const session = await call('/login', { body: { email, password } })
  signedIn.abort()
  signedIn = new AbortController()
  member = { ...session, email, role }
  apiKey = undefined
  endpoint = undefined
  quotes.clear()
  arrivals.clear()
  for (const id of ['quotes', 'webhooks', 'attempts', 'keys']) byId(id).replaceChildren()
  for (const id of ['no-quotes', 'no-webhooks', 'no-attempts']) byId(id).hidden = false
  byId('new-key').hidden = true
  byId('who').textContent =
    `You are ${email}. ${role === 'admin' ? 'Admins manage webhooks.' : 'Plain members make keys, and may not see webhooks.'}`
  byId('workspace').hidden = false
  tell(`Signed in as ${email}`)
  await Promise.all([showKeys(), showReceiver()])
  showEndpoint()
  void watchWebhooks()
  void repeat(showQuotes)
  if (role === 'admin') void repeat(showAttempts)
})

// ── 2. API keys ─────────────────────────────────────────────────────────────

onSubmit('make-key', async () => {
  const expires = new Date(Date.now() + KEY_LIFETIME_DAYS * 86_400_000)
  const { key } = await asMember(`${organization()}/api-keys`, {
    body: { name: byId('key-name').value, expires_at: expires.toISOString() },
  })
  apiKey = key
  byId('new-key-value').textContent = key
  byId('new-key').hidden = false
  tell('The key was made')
  await showKeys()
})

byId('copy-key').addEventListener('click', () =>
  attempt(async () => {
    await navigator.clipboard.writeText(apiKey)
    tell('Copied')
  }),
)

async function showKeys() {
  const keys = await asMember(`${organization()}/api-keys`)
  const change = (key, method, path = '') =>
    button(method === 'DELETE' ? 'Revoke' : path.slice(1, 2).toUpperCase() + path.slice(2), async () => {
      await asMember(`${organization()}/api-keys/${key.id}${path}`, { method })
      await showKeys()
    })
  byId('keys').replaceChildren(
    ...keys
      .slice(0, 5)
      .map((key) =>
        element(
          'li',
          {},
          element('span', { class: 'grow' }, `${key.name} `, element('code', {}, key.masked_key)),
          badge(key.status, key.status === 'active' ? 'good' : 'bad'),
          ...(key.status === 'active' ? [change(key, 'POST', '/deactivate')] : []),
          ...(key.status === 'inactive' ? [change(key, 'POST', '/activate')] : []),
          ...(key.status === 'revoked' ? [] : [change(key, 'DELETE')]),
        ),
      ),
  )
}

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
  for (const id of ['send-test', 'replay']) byId(id).disabled = endpoint === undefined
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

byId('send-test').addEventListener('click', ({ target }) =>
  attempt(async () => {
    const { success, http_status, error } = await asMember(`${organization()}/webhooks/${endpoint.id}/test`, {
      body: { event_type: endpoint.events[0] },
    })
    tell(success ? `The test was answered with ${http_status}` : `The test failed: ${error}`)
  }, target),
)

byId('replay').addEventListener('click', ({ target }) =>
  attempt(async () => {
    const since = new Date(Date.now() - 24 * 60 * 60 * 1000).toISOString()
    await asMember(`${organization()}/webhooks/${endpoint.id}/replay`, { body: { since } })
    tell('What it missed in the last day is sent again')
  }, target),
)

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
  const started = submitter?.value === 'ui' ? await startAsMember(fields) : await startAsPartner(fields)
  quotes.set(started.quotation_id, {
    name: fields.name,
    source: submitter?.value === 'ui' ? 'ui' : 'api_key',
  })
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
  if (apiKey === undefined) throw new Error('Make an API key first: a partner starts quotes with it.')
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

/** Polls what is still running. One call for each: partners may make 60 a minute. */
async function showQuotes() {
  if (apiKey === undefined) return
  for (const [id, quote] of quotes) {
    if (quote.progress?.status === 'completed' || quote.progress?.status === 'failed') continue
    const progress = await asPartner(`/v1/integrations/quotations/${id}/pipeline`)
    if (progress.status === 'completed') {
      quote.proposal = await asPartner(`/v1/integrations/quotations/${id}/proposal`)
    }
    // Last: a quote that has ended is not asked for again.
    quote.progress = progress
    showQuote(id, quote)
  }
}

function showQuote(id, { name, source, progress, proposal }) {
  byId('no-quotes').hidden = true
  const tone = { completed: 'good', failed: 'bad' }[progress.status] ?? 'wait'
  const made = element(
    'li',
    { id: `quote-${id}` },
    element(
      'h3',
      {},
      name || 'A quote without a name',
      badge(progress.error_code ?? progress.status, tone),
      badge(source === 'ui' ? 'started by a member' : 'started by a partner'),
      ...(proposal?.document_id ? [button('Open the proposal', () => openDocument(proposal.id))] : []),
    ),
    element(
      'ol',
      { class: 'steps' },
      ...progress.steps.map(({ step, status }) =>
        element('li', { class: status }, spoken(step), element('br'), element('small', {}, status)),
      ),
    ),
  )
  const shown = byId(`quote-${id}`)
  if (shown) shown.replaceWith(made)
  else byId('quotes').prepend(made)
}

async function openDocument(proposalId) {
  const { url } = await asPartner(`/v1/integrations/proposals/${proposalId}/document-url`)
  // The example made the certificate of its document server itself: the browser may ask whether to trust it.
  window.open(url, '_blank', 'noopener')
}

// ── 6. Webhooks and attempts, live ──────────────────────────────────────────

async function watchWebhooks() {
  const { signal } = signedIn
  try {
    for await (const webhook of lines('/play/inbox/webhooks', { token: member.token, signal }))
      showWebhook(webhook)
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
          ...(repeated ? [badge('was taken before', 'wait')] : []),
          badge(status === null ? 'no answer' : `answered ${status}`, status === 204 ? 'good' : 'bad'),
        ),
        element('pre', {}, listed.join('\n')),
        element('pre', {}, event === null ? body : JSON.stringify(JSON.parse(body), null, 2)),
      ),
    ),
  )
  while (byId('webhooks').children.length > SHOWN) byId('webhooks').lastElementChild.remove()
}

const TONES = { succeeded: 'good', failed: 'wait', interrupted: 'wait', exhausted: 'bad', rejected: 'bad' }

async function showAttempts() {
  const attempts = await asMember(`${organization()}/webhooks/deliveries?limit=${SHOWN}`)
  byId('no-attempts').hidden = attempts.length > 0
  const rows = attempts.map((each) => {
    const seconds = Math.ceil((Date.parse(each.next_attempt_at) - Date.now()) / 1000)
    const resend = button('Resend', async () => {
      await asMember(`${organization()}/webhooks/deliveries/${each.delivery_id}/resend`, { method: 'POST' })
      await showAttempts()
    })
    return element(
      'li',
      {},
      element(
        'div',
        { class: 'line' },
        clock(each.created_at),
        element('strong', {}, each.event_type),
        badge(`attempt ${each.attempt}: ${each.status}`, TONES[each.status]),
        badge(each.http_status === null ? (each.error ?? 'no answer') : String(each.http_status)),
        ...(each.is_test ? [badge('test')] : []),
        ...(seconds > 0 ? [badge(`next in ${seconds} s`, 'wait')] : []),
        ...(each.is_test ? [] : [resend]),
      ),
    )
  })
  // Whoever is about to press one of the buttons keeps it.
  if (byId('attempts').contains(document.activeElement)) return
  byId('attempts').replaceChildren(...rows)
}

document.documentElement.dataset.ready = 'true'
