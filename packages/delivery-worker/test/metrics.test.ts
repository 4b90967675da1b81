import { readFile } from 'node:fs/promises'
import type { Receiver } from '@quickquote/dev-servers'
import { describe, expect, it } from 'vitest'
import { METRICS } from '../src/telemetry/metrics.ts'
import { prometheusName } from '../src/telemetry/prometheus.ts'
import { certificate, type Host, NO_WAITING, openHost, openReceiver } from './support/host.ts'

const ROOT = new URL('../../../', import.meta.url)
const PATIENT = { timeout: 60_000 }

let host: Host
let receiver: Receiver

/** A worker that has started quotes, and made attempts that succeeded, failed and were exhausted. */
async function open(metrics: boolean): Promise<string> {
  receiver = await openReceiver(({ path }) => ({ status: path === '/well' ? 204 : 500 }))
  host = await openHost({
    delivery: { ...NO_WAITING, maxAttempts: 2 },
    pipeline: { start: (_, { report }) => report.stepCompleted('requirement_analysis') },
  })
  await host.createEndpoint(`${receiver.url}/well`)
  await host.createEndpoint(`${receiver.url}/ill`)
  await host.createWorker({ ca: certificate.cert, health: { port: 0, host: '127.0.0.1', metrics } }).start()
  await host.startQuote()
  await expect.poll(() => host.attempts(), PATIENT).toHaveLength(3)
  const opened = host.logs.find(({ message }) => message === 'the health checks are available')
  return `http://127.0.0.1:${opened?.fields['port']}`
}

interface Sample {
  readonly name: string
  readonly labels: readonly string[]
  readonly value: number
}

function parse(text: string): Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value] = /^([a-z_]+)(?:\{(.*)\})? ([0-9.e+-]+|\+Inf)$/.exec(line) ?? []
      return {
        name,
        labels: [...labels.matchAll(/(\w+)="/g)].map(([, label = '']) => label),
        value: Number(value),
      }
    })
}

describe('GET /metrics', () => {
  it('has every metric of the table, and every metric and label that dashboard and alerts use', async () => {
    const url = await open(true)
    const response = await fetch(`${url}/metrics`)
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ])
    const samples = parse(await response.text())
    const labelsOf = (name: string) =>
      new Set(samples.filter((sample) => sample.name === name).flatMap(({ labels }) => labels))

    for (const metric of Object.values(METRICS)) {
      const name = prometheusName(metric) + (metric.kind === 'histogram' ? '_bucket' : '')
      const attributes = Object.keys(metric.attributes).map((attribute) => attribute.replaceAll('.', '_'))
      expect([name, [...labelsOf(name)].filter((label) => label !== 'le').sort()]).toEqual([
        name,
        attributes.sort(),
      ])
    }

    const dashboard = JSON.parse(
      await readFile(new URL('docs/monitoring/grafana-dashboard.json', ROOT), 'utf8'),
    )
    const alerts = await readFile(new URL('docs/monitoring/prometheus-alerts.yml', ROOT), 'utf8')
    const expressions: string[] = [
      ...dashboard.panels.flatMap(({ targets }: { targets: { expr: string }[] }) =>
        targets.map(({ expr }) => expr),
      ),
      ...[...alerts.matchAll(/^ +expr: (.*)$/gm)].map(([, expr = '']) => JSON.parse(expr)),
    ]
    expect(expressions).toHaveLength(18)
    for (const expression of expressions) {
      const names = [...new Set(expression.match(/quickquote_(?:delivery|pipeline)_[a-z_]+/g))]
      const labels = [
        ...[...expression.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', ')),
        ...[...expression.matchAll(/(\w+)="/g)].map(([, label = '']) => label),
      ]
      expect(names).toHaveLength(1)
      for (const label of labels) expect([...labelsOf(names[0] ?? '')]).toContain(label)
      expect(samples.map(({ name }) => name)).toContain(names[0])
    }
  })

  it('counts, and leaves out a queue that it cannot read', async () => {
    const url = await open(true)
    const read = async () => (await fetch(`${url}/metrics`)).text()
    const attempts = async () =>
      parse(await read())
        .filter(({ name }) => name === 'quickquote_delivery_attempts_total')
        .reduce((sum, { value }) => sum + value, 0)
    await expect.poll(attempts, PATIENT).toBe(3)
    expect(await read()).toContain('quickquote_delivery_queue_oldest_age_seconds 0')
    await host.sql`alter table quickquote.deliveries rename to elsewhere`
    const without = await read()
    await host.sql`alter table quickquote.elsewhere rename to deliveries`
    expect(without).not.toMatch(/^quickquote_delivery_queue/m)
    expect(without).toMatch(/^quickquote_delivery_attempts_total/m)
    expect(await read()).toContain('quickquote_delivery_queue_oldest_age_seconds 0')
  })

  it('is off by default', async () => {
    const url = await open(false)
    const response = await fetch(`${url}/metrics`)
    expect([response.status, await response.json()]).toEqual([
      404,
      { paths: ['/health/live', '/health/ready'] },
    ])
  })
})
