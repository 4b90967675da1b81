// The load of a soak: partners and members of many organizations, from many addresses, with typical requests.
import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { serveParent } from '@quickquote/dev-servers/child'

serveParent({ run, traffic, stop })

const CLIENTS = 16
const ADDRESSES = 1_000_000
const KEEP = 20
const PAUSE_MS = 20
const FAULTS_KEPT = 10
const FILE = 'Customers sign in and see their invoices.\n'.repeat(100)

let [origin, receiver, most] = ['', '', 0]
let isOver = false
let requests = 0
const byStatus = {}
const faults = []
const organizations = new Map()
let clients = Promise.resolve()

async function run(options) {
  ;({ origin, receiver, organizations: most } = options)
  clients = Promise.all(Array.from({ length: CLIENTS }, client))
}

async function traffic() {
  return { requests, byStatus: { ...byStatus }, faults: [...faults] }
}

async function stop() {
  isOver = true
  await clients
}

async function client() {
  while (!isOver) {
    const n = randomInt(most)
    const organization = organizations.get(n) ?? { id: randomUUID(), keys: [], quotations: [], endpoints: [] }
    organizations.set(n, organization)
    await pick(ACTIONS)(organization)
    await sleep(randomInt(PAUSE_MS))
  }
}

/** The kinds of request; repeated ones are more frequent. */
const ACTIONS = [
  read,
  ...repeated(11, read),
  ...repeated(5, startAsJson),
  ...repeated(2, startWithFiles),
  ...repeated(3, withWrongKey),
  ...repeated(2, changeKeys),
  ...repeated(2, changeEndpoints),
  ...repeated(2, lookAtDeliveries),
]

async function read(organization) {
  const [key, id] = [await keyOf(organization), pick(organization.quotations) ?? randomUUID()]
  const what = pick(['', '/pipeline', '/proposal'])
  await asPartner(key, 'GET', `/v1/integrations/quotations/${id}${what}`)
}

async function startAsJson(organization) {
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() }
  const body = JSON.stringify({ name: 'Soak', requirementsText: FILE, metadata: { n: requests } })
  const key = await keyOf(organization)
  // A client without a response retries.
  for (let times = randomInt(1, 3); times > 0; times -= 1) {
    remember(
      organization.quotations,
      await asPartner(key, 'POST', '/v1/integrations/quotations', { headers, body }),
      'quotation_id',
    )
  }
}

async function startWithFiles(organization) {
  const form = new FormData()
  for (let n = randomInt(1, 6); n > 0; n -= 1) form.append('files', new File([FILE], `${n}.md`))
  const answer = await asPartner(await keyOf(organization), 'POST', '/v1/integrations/quotations', {
    body: form,
  })
  remember(organization.quotations, answer, 'quotation_id')
}

async function withWrongKey() {
  const key = `pk_${randomUUID().replaceAll('-', '')}`
  await asPartner(key, pick(['GET', 'POST']), `/v1/integrations/quotations/${randomUUID()}`)
}

async function changeKeys(organization) {
  const key = organization.keys.length > 1 ? organization.keys.shift() : undefined
  if (key === undefined) return void (await createKey(organization))
  const path = `/api-keys/${key.id}`
  await asMember(organization, 'PATCH', path, { name: `Soak ${requests}` })
  await asMember(organization, 'POST', `${path}/deactivate`)
  await asMember(organization, 'GET', '/api-keys')
  await asMember(organization, 'DELETE', path)
}

async function changeEndpoints(organization) {
  const [id] = organization.endpoints.length > 1 ? organization.endpoints.splice(0, 1) : []
  if (id === undefined) {
    const created = await asMember(organization, 'POST', '/webhooks', {
      name: 'Soak',
      url: `${receiver}/${organization.id}`,
      events: ['quotation.completed', 'quotation.failed', 'quotation.work_breakdown.completed'],
    })
    return remember(organization.endpoints, created, 'id')
  }
  await asMember(organization, 'POST', `/webhooks/${id}/rotate-secret`, {})
  await asMember(organization, 'POST', `/webhooks/${id}/test`, { event_type: 'quotation.completed' })
  await asMember(organization, 'PATCH', `/webhooks/${id}`, { is_enabled: false })
  await asMember(organization, 'DELETE', `/webhooks/${id}`)
}

async function lookAtDeliveries(organization) {
  const { body } = await asMember(organization, 'GET', '/webhooks/deliveries?limit=5')
  const delivery = Array.isArray(body) ? body[0]?.delivery_id : undefined
  if (typeof delivery === 'string') {
    await asMember(organization, 'GET', `/webhooks/deliveries/${delivery}`)
    await asMember(organization, 'POST', `/webhooks/deliveries/${delivery}/resend`)
  }
  const id = pick(organization.endpoints)
  const since = new Date(Date.now() - 60_000).toISOString()
  if (id !== undefined) await asMember(organization, 'POST', `/webhooks/${id}/replay`, { since })
  await asMember(organization, 'GET', '/audit-log?limit=10')
}

async function keyOf(organization) {
  return pick(organization.keys)?.key ?? createKey(organization)
}

async function createKey(organization) {
  const expires_at = new Date(Date.now() + 86_400_000).toISOString()
  const { body } = await asMember(organization, 'POST', '/api-keys', { name: 'Soak', expires_at })
  const [id, key] = [String(body['id']), String(body['key'])]
  organization.keys.push({ id, key })
  return key
}

function remember(list, { body }, name) {
  const id = body[name]
  if (typeof id !== 'string' || list.includes(id)) return
  list.push(id)
  if (list.length > KEEP) list.shift()
}

function asPartner(key, method, path, init = {}) {
  return send(method, path, { ...init, headers: { ...init.headers, 'X-API-Key': key } })
}

function asMember({ id }, method, path, json) {
  const headers = { 'X-Organization': id, ...(json && { 'Content-Type': 'application/json' }) }
  return send(method, `/v1/organizations/${id}${path}`, {
    headers,
    ...(json && { body: JSON.stringify(json) }),
  })
}

async function send(method, path, init) {
  requests += 1
  const n = randomInt(ADDRESSES)
  const address = `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`
  const headers = { 'X-Forwarded-For': address, ...init.headers }
  try {
    const response = await fetch(origin + path, { ...init, method, headers })
    const text = await response.text()
    count(String(response.status))
    if (response.status >= 500) fault(`${method} ${path}: ${response.status} ${text}`)
    return { status: response.status, body: text === '' ? {} : JSON.parse(text) }
  } catch (error) {
    count('no answer')
    fault(`${method} ${path}: ${error instanceof Error ? (error.cause ?? error) : error}`)
    return { status: 0, body: {} }
  }
}

function count(status) {
  byStatus[status] = (byStatus[status] ?? 0) + 1
}

function fault(line) {
  if (faults.length < FAULTS_KEPT) faults.push(line)
}

function pick(list) {
  return list[randomInt(Math.max(1, list.length))]
}

function repeated(times, item) {
  return Array.from({ length: times }, () => item)
}
