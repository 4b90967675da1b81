import { X509Certificate } from 'node:crypto'
import { type Certificates, ConfigurationError, type Integrations } from '@quickquote/core'
import {
  BEGIN_CERTIFICATE,
  CLOCK_WARN_MS,
  CLOCK_WRONG_MS,
  decrypts,
  findUnusableKeys,
  loggableError,
} from '@quickquote/core/internal'
import { checkApp } from './app-check.ts'
import { type Finding, finding } from './finding.ts'
import { checkProxy } from './proxy-check.ts'

export interface Examination {
  readonly integrations: Integrations
  /** The worker's options in this environment. */
  readonly worker: {
    readonly ca?: Certificates | undefined
    readonly pollIntervalMs: number
    readonly deadAfterMs: number
  }
  /** The address of a running app to check. */
  readonly appUrl?: string | undefined
}

const DAY_MS = 24 * 60 * 60 * 1000
const OLDEST_VERSION = 14
/** A notification arrives within milliseconds, or never. */
const NOTIFICATION_MS = 3000
const SLOW_QUEUE_S = 60
const LONG_SWEEP_MS = 60 * 60 * 1000
const CERTIFICATE_WARNING_DAYS = 30

/** Looks for problems and changes nothing. Skips checks that need the database if it cannot be reached. */
export async function examine(examination: Examination): Promise<Finding[]> {
  const { integrations, worker, appUrl } = examination
  const { egress } = integrations.settings
  const ca = worker.ca ?? egress.ca
  return [
    ...(await checkDatabase(integrations, worker)),
    ...checkCertificates(ca),
    ...(egress.proxy === null ? [] : [await checkProxy(egress.proxy, ca)]),
    ...(appUrl === undefined ? [] : await checkApp(appUrl)),
  ]
}

type Facts = Awaited<ReturnType<Integrations['storage']['inspection']['readFacts']>>

async function checkDatabase(integrations: Integrations, worker: Examination['worker']): Promise<Finding[]> {
  const { storage, settings } = integrations
  try {
    const begun = performance.now()
    await storage.clock.read()
    const ms = Math.round(performance.now() - begun)
    const facts = await storage.inspection.readFacts()
    if (Number.parseInt(facts.version, 10) < OLDEST_VERSION) {
      return [finding('DATABASE_TOO_OLD', { version: facts.version })]
    }
    const findings = [finding('DATABASE_ANSWERS', { ms, version: facts.version })]
    if (facts.is_read_only) findings.push(finding('DATABASE_READ_ONLY'))
    findings.push(await checkClock(integrations))
    const { role, missing_grants, may_read } = facts
    const missing = finding('GRANTS_MISSING', { role, grants: missing_grants.join(', ') })
    if (!may_read) return [...findings, missing]
    const pending = await storage.inspection.findPendingMigrations()
    if (pending.length > 0) {
      return [...findings, finding('MIGRATIONS_MISSING', { names: pending.join(', ') })]
    }
    findings.push(
      finding('MIGRATED'),
      missing_grants.length > 0 ? missing : finding('GRANTS_SUFFICE', { role }),
      ...(await checkKeys(integrations)),
      ...(await checkWorkers(integrations, worker.deadAfterMs)),
      await checkQueue(integrations),
      ...(await checkFeed(integrations)),
      ...(await checkErasing(integrations)),
      (await storage.inspection.hearsNotifications(NOTIFICATION_MS))
        ? finding('NOTIFICATIONS_ARRIVE')
        : finding('NOTIFICATIONS_LOST', { pollIntervalMs: worker.pollIntervalMs }),
      checkHistory(facts, settings.retention.eventDays),
    )
    return findings
  } catch (error) {
    if (error instanceof ConfigurationError) return [finding('DATABASE_UNFIT', { cause: error.message })]
    const { message } = loggableError(error) as { message?: string }
    return [finding('DATABASE_UNREACHABLE', { cause: `${message ?? 'unknown error'}.` })]
  }
}

/** Not with a role that may not read it, whose missing rights are a finding of their own. */
async function checkFeed({ storage }: Integrations): Promise<Finding[]> {
  const isBehind = await storage.eventFeed.isBehind().catch(() => false)
  return isBehind ? [finding('FEED_BEHIND')] : []
}

function checkHistory(facts: Facts, days: number): Finding {
  const { history_floor_days: floor, is_owner } = facts
  if (floor !== null && floor > days && !is_owner) return finding('HISTORY_KEPT_LONGER', { floor, days })
  return finding('HISTORY_KEPT', { days })
}

/** The database's time lies between two readings of this machine's clock. */
async function checkClock({ storage }: Integrations): Promise<Finding> {
  const before = Date.now()
  const at = (await storage.clock.read()).getTime()
  const aheadMs = Date.now() < at ? Date.now() - at : Math.max(0, before - at)
  const details = {
    seconds: Math.round(Math.abs(aheadMs) / 1000),
    direction: aheadMs > 0 ? 'ahead of' : 'behind',
  }
  if (Math.abs(aheadMs) >= CLOCK_WRONG_MS) return finding('CLOCK_WRONG', details)
  if (Math.abs(aheadMs) >= CLOCK_WARN_MS) return finding('CLOCK_OFF', details)
  return finding('CLOCK_RIGHT', { seconds: CLOCK_WARN_MS / 1000 })
}

async function checkKeys({ storage, settings: { keyring } }: Integrations): Promise<Finding[]> {
  const unusable = await findUnusableKeys(storage, keyring)
  const samples = await storage.inspection.sampleSecrets()
  const damaged = samples.filter((sample) => !unusable.has(sample.keyId) && !decrypts(keyring, sample))
  const findings = [
    ...[...unusable].map(([keyId, { reason, secrets }]) =>
      finding(reason === 'missing' ? 'KEY_MISSING' : 'KEY_WRONG', { keyId, secrets }),
    ),
    ...damaged.map(({ keyId, secrets }) => finding('KEY_WRONG', { keyId, secrets })),
  ]
  const total = samples.reduce((sum, { secrets }) => sum + secrets, 0)
  return findings.length > 0 ? findings : [finding('KEYS_FIT', { secrets: total })]
}

async function checkWorkers({ storage }: Integrations, deadAfterMs: number): Promise<Finding[]> {
  const { alive, silent } = await storage.inspection.countWorkers(deadAfterMs)
  if (alive === 0) return [finding('NO_WORKER')]
  const seconds = deadAfterMs / 1000
  return [
    finding('WORKERS_ALIVE', { alive }),
    ...(silent > 0 ? [finding('WORKERS_SILENT', { silent, seconds })] : []),
  ]
}

async function checkQueue({ storage, settings }: Integrations): Promise<Finding> {
  const now = await settings.clock.read()
  const { due, oldestDueAt } = await storage.telemetry.readQueueState(now)
  const age = oldestDueAt === null ? 0 : Math.round((now.getTime() - oldestDueAt.getTime()) / 1000)
  if (age > SLOW_QUEUE_S) return finding('QUEUE_WAITS', { due, age })
  return finding('QUEUE_DRAINED', { seconds: SLOW_QUEUE_S })
}

async function checkErasing({ storage }: Integrations): Promise<Finding[]> {
  const organizations = await storage.inspection.countSweeping(LONG_SWEEP_MS)
  return organizations === 0 ? [] : [finding('ERASING_WAITS', { organizations })]
}

function checkCertificates(ca: Certificates | undefined): Finding[] {
  if (ca === undefined) return []
  const blocks = [ca].flat().flatMap((each) => {
    const text = typeof each === 'string' ? each : Buffer.from(each).toString('latin1')
    const [first = '', ...others] = text.split(BEGIN_CERTIFICATE)
    return others.length === 0 ? [first] : others.map((each) => BEGIN_CERTIFICATE + each)
  })
  const findings = blocks.flatMap((block, index) => checkCertificate(block, index + 1))
  return findings.length > 0 ? findings : [finding('CERTIFICATES_READ', { count: blocks.length })]
}

function checkCertificate(pem: string, position: number): Finding[] {
  let certificate: X509Certificate
  try {
    certificate = new X509Certificate(pem)
  } catch {
    return [finding('CERTIFICATE_UNREADABLE', { position })]
  }
  const end = new Date(certificate.validTo)
  const details = {
    subject: certificate.subject.replaceAll('\n', ', '),
    date: end.toISOString().slice(0, 10),
  }
  if (end.getTime() <= Date.now()) return [finding('CERTIFICATE_EXPIRED', details)]
  const leftMs = end.getTime() - Date.now()
  return leftMs < CERTIFICATE_WARNING_DAYS * DAY_MS ? [finding('CERTIFICATE_EXPIRES', details)] : []
}
