import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as core from '@quickquote/core/internal'
import ts from 'typescript'
import { WORKER_OPTIONS } from '../../../delivery-worker/dist/options.js'
import { code, GENERATED, table } from './markdown.mjs'

/** The tables of options, by name. */
const TABLES = { ...core }

/** Where the options are declared, in the order of the page. */
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
  { heading: 'limits', file: 'packages/core/src/model/limits.ts', type: 'Limits' },
  { heading: 'delivery', file: 'packages/core/src/model/delivery.ts', type: 'DeliveryPolicy' },
  { heading: 'start', file: 'packages/core/src/model/quote-pipeline.ts', type: 'StartPolicy' },
  { heading: 'lease', file: 'packages/core/src/model/lease.ts', type: 'LeasePolicy' },
  { heading: 'retention', file: 'packages/core/src/model/retention.ts', type: 'Retention' },
  { heading: 'apiKeys', file: 'packages/core/src/model/api-key-use.ts', type: 'ApiKeyPolicy' },
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
  const groups = GROUPS.map(({ heading, intro, file, type, required = 'required', ...group }) => {
    const { members, options = group.options } = declared(join(root, file), type)
    const rows = members.map((member) => {
      const option = optionOf(member, options)
      return [
        hasTable(option) ? `[${code(option.name)}](#${option.name.toLowerCase()})` : code(option.name),
        code(option.type),
        defaultOf(`${type}.${option.name}`, option, required),
        ...(options === undefined ? [] : [rangeOf(option)]),
        option.doc.replace(DEFAULT_SENTENCE, '').trim(),
      ]
    })
    const head = ['Option', 'Type', 'Default', ...(options === undefined ? [] : ['Range']), '']
    const title = intro === undefined ? `### ${heading}` : `## ${heading}\n\n${intro}`
    return `${title}\n\n${table(head, rows)}`
  })
  return `${GENERATED}

# Options

All options and their defaults. An invalid or misspelled option throws a \`ConfigurationError\` at startup; \`undefined\` means the
default. Options in milliseconds end in \`Ms\`.

${groups.join('\n\n')}

${helpOf(root, 'delivery-worker', 'quickquote-worker', '[Operations](../guides/operations.md)')}

${helpOf(root, 'storage-drizzle', 'quickquote-storage', '[Database](../guides/database.md)')}
`
}

/**
 * The members of an interface, or of all object types that make up a type. For a type `OptionsOf<typeof TABLE>` those are the
 * rows of the table, which is `options`.
 */
function declared(file, typeName) {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)
  const statements = source.statements.flatMap((each) => each.declarationList?.declarations ?? each)
  const declarationOf = (name) => statements.find((each) => each.name?.text === name)
  const declaration = declarationOf(typeName)
  if (declaration === undefined) throw new Error(`${file} declares no ${typeName}`)
  const tableName = declaration.type?.typeArguments?.[0]?.exprName?.text
  if (tableName === undefined) return { members: membersOf(declaration) }
  return { members: membersOf(declarationOf(tableName)), options: TABLES[tableName] }
}

/** Without those of a member's own type. */
function membersOf(node) {
  if (ts.isTypeElement(node) || ts.isPropertyAssignment(node)) return [node]
  const found = []
  ts.forEachChild(node, (child) => void found.push(...membersOf(child)))
  return found
}

/** What is declared of an option, and what its table says. */
function optionOf(member, options) {
  const name = member.name.text
  const isRow = ts.isPropertyAssignment(member)
  return {
    name,
    type: isRow ? typeof options[name].default : typeText(member),
    isOptional: isRow || member.questionToken !== undefined,
    doc: docOf(member),
    ...options?.[name],
  }
}

function typeText(member) {
  const returned = member.type.getText()
  const text = ts.isMethodSignature(member)
    ? `(${member.parameters.map(({ name }) => name.text).join(', ')}) => ${returned}`
    : returned
  return text.replaceAll(/\s+/g, ' ').replaceAll(/\breadonly /g, '')
}

/** The docstring, with what it says of the parameters of a function. */
function docOf({ jsDoc: [{ comment = '', tags = [] }] = [{}] }) {
  const parameters = tags
    .filter(ts.isJSDocParameterTag)
    .map((tag) => `${code(tag.name.text)}: ${tag.comment}.`)
  return [comment, ...parameters].join(' ').replaceAll(/\s+/g, ' ').trim()
}

/** What a number may be. Empty for what is none. */
function rangeOf({ min, max, fraction }) {
  if (min === undefined) return ''
  const numbers = max === undefined ? `${min} or more` : `${min} to ${max.toLocaleString('en')}`
  return fraction ? `${numbers}, or a fraction` : numbers
}

const DEFAULT_SENTENCE = / ?Default:? (.+?)\.(?= [A-Z]|$)/

/** The default in the words of the docstring, which have to mean what the code does. */
function defaultOf(where, option, required) {
  const { doc, isOptional, default: value } = option
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

/** What a program says of itself. */
function helpOf(root, name, program, guide) {
  const file = join(root, 'packages', name, 'bin', `${program}.js`)
  const { stdout, status } = spawnSync(process.execPath, [file, '--help'], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} --help failed`)
  const help = `\`\`\`text\n${stdout.trim()}\n\`\`\``
  return `## ${program}\n\n${code(`npx @quickquote/${name}`)}: see ${guide}.\n\n${help}`
}
