import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  API_KEY_OPTIONS,
  DELIVERY_OPTIONS,
  LEASE_OPTIONS,
  LIMIT_OPTIONS,
  RETENTION_OPTIONS,
  START_OPTIONS,
} from '@quickquote/core/internal'
import { parseSync } from 'oxc-parser'
import { WORKER_OPTIONS } from '../../../delivery-worker/dist/options.js'
import { code, GENERATED, table } from './markdown.mjs'

/**
 * Where the options are declared, in the order of the page. `options` is the table of their defaults and ranges.
 */
const GROUPS = [
  {
    heading: 'createIntegrations',
    intro:
      'In `@quickquote/core`. Every field of `limits`, `delivery`, `start`, `lease`, `retention`, `apiKeys` and `egress` is optional.',
    file: 'packages/core/src/settings.ts',
    type: 'IntegrationsOptions',
  },
  { heading: 'pipeline', file: 'packages/core/src/model/quote-pipeline.ts', type: 'QuotePipeline' },
  { heading: 'encryptionKeys', file: 'packages/core/src/lib/keyring.ts', type: 'EncryptionKey' },
  { heading: 'limits', file: 'packages/core/src/model/limits.ts', type: 'Limits', options: LIMIT_OPTIONS },
  {
    heading: 'delivery',
    file: 'packages/core/src/model/delivery.ts',
    type: 'DeliveryPolicy',
    options: DELIVERY_OPTIONS,
  },
  {
    heading: 'start',
    file: 'packages/core/src/model/quote-pipeline.ts',
    type: 'StartPolicy',
    options: START_OPTIONS,
  },
  { heading: 'lease', file: 'packages/core/src/model/lease.ts', type: 'LeasePolicy', options: LEASE_OPTIONS },
  {
    heading: 'retention',
    file: 'packages/core/src/model/retention.ts',
    type: 'Retention',
    options: RETENTION_OPTIONS,
  },
  {
    heading: 'apiKeys',
    file: 'packages/core/src/model/api-key-use.ts',
    type: 'ApiKeyPolicy',
    options: API_KEY_OPTIONS,
  },
  { heading: 'egress', file: 'packages/core/src/model/egress.ts', type: 'EgressOptions' },
  { heading: 'quotations', file: 'packages/core/src/storage/host-quotations.ts', type: 'HostQuotations' },
  { heading: 'files', file: 'packages/core/src/storage/files.ts', type: 'FileStorage' },
  {
    heading: 'drizzleStorage',
    intro: 'In `@quickquote/storage-drizzle`.',
    required: 'one of the three is required',
    file: 'packages/storage-drizzle/src/options.ts',
    type: 'StorageOptions',
  },
  {
    heading: 'fastifyIntegrations',
    intro:
      'In `@quickquote/fastify-integrations`, besides Fastify’s own `prefix`, `logLevel` and `logSerializers`.',
    file: 'packages/fastify-integrations/src/options.ts',
    type: 'FastifyIntegrationsOptions',
  },
  { heading: 'apiDocs', file: 'packages/fastify-integrations/src/options.ts', type: 'ApiDocsOptions' },
  {
    heading: 'createDeliveryWorker',
    intro: 'In `@quickquote/delivery-worker`.',
    file: 'packages/delivery-worker/src/options.ts',
    type: 'DeliveryWorkerOptions',
    options: WORKER_OPTIONS,
  },
  { heading: 'health', file: 'packages/delivery-worker/src/health/health-server.ts', type: 'HealthAddress' },
]

/** Whether the fields of an option have their own table. */
function hasTable({ name, type }) {
  return GROUPS.some((group) => group.heading === name && type.includes(group.type))
}

/** docs/reference/options.md, from the declarations and their docstrings, and the `--help` of the programs. */
export function optionsPage(root) {
  const groups = GROUPS.map(({ heading, intro = '', file, type, options, required = 'required' }) => {
    const level = intro === '' ? '###' : '##'
    const rows = optionsOf(join(root, file), type).map((option) => [
      hasTable(option) ? `[${code(option.name)}](#${option.name.toLowerCase()})` : code(option.name),
      code(option.type),
      defaultOf(`${type}.${option.name}`, option, { value: options?.[option.name]?.default, required }),
      ...(options === undefined ? [] : [rangeOf(options[option.name])]),
      option.doc.replace(DEFAULT_SENTENCE, '').trim(),
    ])
    const head = ['Option', 'Type', 'Default', ...(options === undefined ? [] : ['Range']), '']
    return `${level} ${heading}\n\n${intro === '' ? '' : `${intro}\n\n`}${table(head, rows)}`
  })
  return `${GENERATED}

# Options

All options and their defaults. An invalid or misspelled option throws a \`ConfigurationError\` at startup; \`undefined\` means the
default. Options in milliseconds end in \`Ms\`.

${groups.join('\n\n')}

## quickquote-worker

\`npx @quickquote/delivery-worker\`: see [Operations](../guides/operations.md).

\`\`\`text
${helpOf(root, 'packages/delivery-worker/bin/quickquote-worker.js').trim()}
\`\`\`

## quickquote-storage

\`npx @quickquote/storage-drizzle\`: see [Database](../guides/database.md).

\`\`\`text
${helpOf(root, 'packages/storage-drizzle/bin/quickquote-storage.js').trim()}
\`\`\`
`
}

/**
 * The properties and methods of an interface, of all object types that make up a type, or of the table that a type
 * `OptionsOf<typeof TABLE>` is derived from, with their docstrings.
 */
function optionsOf(file, typeName) {
  const source = readFileSync(file, 'utf8')
  const { program, comments } = parseSync(file, source)
  const declared = program.body
    .map((statement) => statement.declaration ?? statement)
    .flatMap((statement) => statement.declarations ?? statement)
  const declarationOf = (name) => declared.find(({ id }) => id?.name === name)
  const declaration = declarationOf(typeName)
  if (declaration === undefined) throw new Error(`${file} declares no ${typeName}`)
  const tableName = declaration.typeAnnotation?.typeArguments?.params[0]?.exprName?.name
  const members =
    tableName === undefined
      ? membersOf(declaration.typeAnnotation ?? declaration.body)
      : rowsOf(declarationOf(tableName).init)
  return members.map((member) => ({
    name: member.key.name,
    type: typeText(member, source),
    isOptional: member.optional ?? true,
    doc: docOf(commentBefore(member, comments, source)),
  }))
}

/** The rows of `{ … } as const satisfies OptionTable`. */
function rowsOf({ properties, expression }) {
  return properties ?? rowsOf(expression)
}

function membersOf({ types, members, body, typeAnnotation }) {
  return types?.flatMap(membersOf) ?? members ?? body ?? membersOf(typeAnnotation)
}

function commentBefore({ start }, comments, source) {
  const last = comments.findLast(({ end }) => end <= start)
  return last === undefined || source.slice(last.end, start).trim() !== '' ? '' : last.value
}

/** The docstring, with what it says of the parameters of a function. */
function docOf(comment) {
  const words = comment
    .replaceAll(/^\s*\*+/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
  const [text = '', ...tags] = words.split(/(?:^| )@(?=\w+ )/)
  const parameters = tags.map((tag) => /^param (\w+) (.+)$/.exec(tag)).filter((found) => found !== null)
  return [text, ...parameters.map(([, name, said]) => `${code(name)}: ${said}.`)].join(' ').trim()
}

function typeText(member, source) {
  const textOf = ({ start, end }) => source.slice(start, end)
  if (member.type === 'Property')
    return member.value.properties.some(({ key }) => key.name === 'min') ? 'number' : 'boolean'
  const text =
    member.type === 'TSMethodSignature'
      ? `(${member.params.map((each) => each.name).join(', ')}) => ${textOf(member.returnType.typeAnnotation)}`
      : textOf(member.typeAnnotation.typeAnnotation)
  return text.replaceAll(/\s+/g, ' ').replaceAll(/\breadonly /g, '')
}

/** What a number may be. Empty for what is none. */
function rangeOf({ min, max, fraction } = {}) {
  if (min === undefined) return ''
  const numbers = max === undefined ? `${min} or more` : `${min} to ${max.toLocaleString('en')}`
  return fraction ? `${numbers}, or a fraction` : numbers
}

const DEFAULT_SENTENCE = / ?Default:? (.+?)\.(?= [A-Z]|$)/

/** The default in the words of the docstring, which have to mean what the code does. */
function defaultOf(where, option, { value, required }) {
  const { doc, isOptional } = option
  if (doc === '') throw new Error(`${where} has no docstring`)
  const words = DEFAULT_SENTENCE.exec(doc)?.[1]
  if (
    value !== undefined &&
    (words === undefined ||
      (typeof value === 'boolean' ? words !== String(value) : amountOf(words) !== value))
  ) {
    throw new Error(`${where} is ${value} by default, and its docstring says: ${words}`)
  }
  if (words !== undefined) return words
  if (!isOptional) return required
  return hasTable(option) ? '' : 'none'
}

const HOUR_MS = 60 * 60 * 1000
const UNITS = { KiB: 1024, MiB: 1024 ** 2, hour: HOUR_MS, hours: HOUR_MS, days: 24 * HOUR_MS }

/** `10,000`, `4 MiB`, `12 hours`, `an hour`, `731 (two years)`. */
function amountOf(words) {
  const [, number, unit] = /^(an?|[\d,.]+\d|\d)(?: (\w+))?/.exec(words) ?? []
  return (/^an?$/.test(number) ? 1 : Number(number?.replaceAll(',', ''))) * (UNITS[unit] ?? 1)
}

function helpOf(root, program) {
  const { stdout, status } = spawnSync(process.execPath, [join(root, program), '--help'], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${program} --help failed`)
  return stdout
}
