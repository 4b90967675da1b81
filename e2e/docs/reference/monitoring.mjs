// Files made from the table of metrics (the table in docs/monitoring, a Grafana dashboard, Prometheus alert rules), and
// the page of the doctor's findings. `pnpm reference` writes them.
import { readFile } from 'node:fs/promises'
import { FINDINGS } from '../../../packages/delivery-worker/dist/doctor/finding.js'
import { METRICS } from '../../../packages/delivery-worker/dist/telemetry/metrics.js'
import {
  prometheusLabel,
  prometheusName,
} from '../../../packages/delivery-worker/dist/telemetry/prometheus.js'

const ROOT = new URL('../../../', import.meta.url)
const PAGE = 'docs/monitoring/README.md'
const HEAD = '| Metric, and its name in Prometheus | Kind, unit | Attributes |'

/** The files by path. */
export async function monitoringFiles() {
  return {
    [PAGE]: withTable(await readFile(new URL(PAGE, ROOT), 'utf8')),
    'docs/reference/doctor.md': doctorPage(),
    'docs/monitoring/grafana-dashboard.json': `${JSON.stringify(dashboard(), null, 2)}\n`,
    'docs/monitoring/prometheus-alerts.yml': alertRules(),
  }
}

function withTable(page) {
  const start = page.indexOf(HEAD)
  const end = page.indexOf('\n\n', start)
  if (start === -1) throw new Error(`${PAGE} has no table of metrics.`)
  return page.slice(0, start) + table() + page.slice(end)
}

function table() {
  const rows = Object.values(METRICS).map((metric) => {
    const { name, kind, unit, description, attributes } = metric
    const named = Object.entries(attributes).map(([attribute, what]) => `\`${attribute}\`: ${what}`)
    const seconds = unit === 's' ? ', s' : ''
    return `| \`${name}\`<br>\`${prometheusName(metric)}\` | ${kind}${seconds}: ${description} | ${named.join('; ')} |`
  })
  return [HEAD, '| --- | --- | --- |', ...rows].join('\n')
}

function doctorPage() {
  const rows = Object.entries(FINDINGS)
    .filter(([, [level]]) => level !== 'ok')
    .map(([code, [level, message]]) => `| \`${code}\` | ${level} | ${message} |`)
  return `<!-- Generated from the code: npx -y pnpm@12.21.0 reference. A test fails when it is stale. -->

# What the doctor finds

[Troubleshooting](../when-something-is-wrong.md) describes how to run it.

| Code | Level | Problem: solution |
| --- | --- | --- |
${rows.join('\n')}
`
}

// Dashboard -----------------------------------------------------------------------------------------------------------------

const LEGENDS = (attributes) => attributes.map((name) => `{{${prometheusLabel(name)}}}`).join(' ') || 'all'

function targetsOf(metric) {
  const name = prometheusName(metric)
  const attributes = Object.keys(metric.attributes)
  const by = attributes.length === 0 ? '' : ` by (${attributes.map(prometheusLabel).join(', ')})`
  if (metric.kind === 'counter') return [[`sum${by} (rate(${name}[5m]))`, LEGENDS(attributes)]]
  if (metric.kind === 'histogram') {
    return [0.5, 0.95, 0.99].map((quantile) => [
      `histogram_quantile(${quantile}, sum by (le) (rate(${name}_bucket[5m])))`,
      `p${quantile * 100}`,
    ])
  }
  // Every worker reports the same queue.
  return [[`${metric.scope === 'all' ? 'max' : 'sum'}${by} (${name})`, LEGENDS(attributes)]]
}

function dashboard() {
  const datasource = { type: 'prometheus', uid: '$datasource' }
  const panels = Object.values(METRICS).map((metric, index) => ({
    id: index + 1,
    type: 'timeseries',
    title: metric.name,
    description: metric.description,
    datasource,
    gridPos: { h: 8, w: 12, x: (index % 2) * 12, y: Math.floor(index / 2) * 8 },
    fieldConfig: { defaults: { unit: unitOf(metric), min: 0 }, overrides: [] },
    options: { legend: { displayMode: 'list', placement: 'bottom', showLegend: true } },
    targets: targetsOf(metric).map(([expr, legendFormat], target) => ({
      datasource,
      expr,
      legendFormat,
      refId: String.fromCharCode(65 + target),
    })),
  }))
  return {
    title: 'Quick Quote webhooks',
    uid: 'quickquote-webhooks',
    tags: ['quickquote'],
    schemaVersion: 39,
    time: { from: 'now-6h', to: 'now' },
    refresh: '30s',
    templating: {
      list: [{ name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' }],
    },
    panels,
  }
}

function unitOf({ kind, unit }) {
  if (unit === 's') return 's'
  return kind === 'counter' ? 'ops' : 'short'
}

// Alerts --------------------------------------------------------------------------------------------------------------------

const attempts = prometheusName(METRICS.attempts)
const [outcome, errorType] = Object.keys(METRICS.attempts.attributes).map(prometheusLabel)
const failing = (offset) => {
  const rate = (filter) => `sum(rate(${attempts}${filter}[1h]${offset}))`
  return `${rate(`{${outcome}="failed"}`)} / ${rate('')}`
}

const ALERTS = [
  {
    alert: 'QuickquoteNoWorker',
    expr: `absent(${prometheusName(METRICS.inFlight)})`,
    for: '1m',
    severity: 'critical',
    summary:
      'No worker reports, so no webhook is sent and no quote is started: start one, and check the logs of those that stopped.',
  },
  {
    alert: 'QuickquoteQueueWaits',
    expr: `max(${prometheusName(METRICS.oldestAge)}) > 60`,
    for: '5m',
    severity: 'warning',
    summary:
      'The oldest due delivery has waited for more than a minute: add workers, or find an endpoint that hangs.',
  },
  {
    alert: 'QuickquoteSecretsUnreadable',
    expr: `increase(${attempts}{${errorType}="signing_failed"}[15m]) > 0`,
    for: '0m',
    severity: 'critical',
    summary: 'Webhooks cannot be signed: run the doctor, and restore the encryption key that it names.',
  },
  {
    alert: 'QuickquoteFailuresDoubled',
    expr: `${failing('')} > 0.05 and ${failing('')} > 2 * (${failing(' offset 1w')})`,
    for: '15m',
    severity: 'warning',
    summary: 'Twice as many attempts fail as a week ago: check network and certificates of the workers.',
  },
  {
    alert: 'QuickquoteDeliveriesExhausted',
    expr: `sum(increase(${attempts}{${outcome}="exhausted"}[1h])) > 0`,
    for: '0m',
    severity: 'warning',
    summary:
      'Deliveries were given up after their last attempt: find the endpoint in the log, inform its owner, and replay.',
  },
  {
    alert: 'QuickquoteStartsExhausted',
    expr: `sum(increase(${prometheusName(METRICS.pipelineStarts)}{${outcome}="exhausted"}[1h])) > 0`,
    for: '0m',
    severity: 'critical',
    summary: 'Quotes failed because the pipeline hook could not start them: find its error in the log.',
  },
]

function alertRules() {
  const rules = ALERTS.map(
    ({ alert, expr, for: lasts, severity, summary }) => `      - alert: ${alert}
        expr: ${JSON.stringify(expr)}
        for: ${lasts}
        labels:
          severity: ${severity}
        annotations:
          summary: ${JSON.stringify(summary)}
`,
  )
  return `# Alert rules for Prometheus, generated from the table of metrics. Adjust the thresholds.
groups:
  - name: quickquote
    rules:
${rules.join('')}`
}
