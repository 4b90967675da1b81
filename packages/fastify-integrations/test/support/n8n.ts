import { createHmac } from 'node:crypto'
import { runInNewContext } from 'node:vm'

// biome-ignore lint/suspicious/noExplicitAny: JSON whose form depends on the type of a node
type Loose = any

/** The parts of an exported n8n workflow that `runWorkflow` reads. */
export interface Workflow {
  readonly nodes: readonly Node[]
  readonly connections: Readonly<Record<string, { main: readonly (readonly { node: string }[])[] }>>
}
interface Node {
  readonly name: string
  readonly type: string
  readonly retryOnFail?: boolean
  readonly parameters: { readonly [name: string]: Loose }
}

interface Item {
  readonly json: Loose
  readonly binary?: Readonly<Record<string, { content: Buffer; fileName: string }>>
}

/** A request of an HTTP Request node. */
export interface NodeRequest {
  readonly node: Node
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly form?: FormData
}

export interface NodeResponse {
  readonly headers: Headers
  readonly body: unknown
}

export interface Execution {
  readonly id: string
  /** `$getWorkflowStaticData('global')`: kept from one execution to the next. */
  readonly kept: Record<string, unknown>
  readonly send: (request: NodeRequest) => Promise<NodeResponse>
}

/** Runs a workflow as n8n does, for one item at a time. Returns the last item of each node that ran. */
export async function runWorkflow(
  { nodes, connections }: Workflow,
  trigger: Item,
  execution: Execution,
): Promise<Record<string, Item>> {
  const items: Record<string, Item> = {}
  let next: Node | undefined = nodes[0]
  for (let input = trigger; next !== undefined; ) {
    const { output, branch } = await runNode(next, input, items, execution)
    items[next.name] = output
    const following: string | undefined = connections[next.name]?.main[branch]?.[0]?.node
    next = nodes.find(({ name }) => name === following)
    input = output
  }
  return items
}

async function runNode(node: Node, input: Item, items: Record<string, Item>, execution: Execution) {
  const scope = scopeOf(input, items, execution)
  const read = (parameter: unknown): Loose => evaluated(parameter, scope)
  const { parameters } = node
  const json = (value: unknown, branch = 0) => ({ output: { ...input, json: value }, branch })
  switch (node.type.replace('n8n-nodes-base.', '')) {
    case 'set':
      return json(parameters['mode'] === 'raw' ? JSON.parse(read(parameters['jsonOutput'])) : assigned(node))
    case 'code':
      return { output: await runCode(parameters['jsCode'], scope), branch: 0 }
    case 'if': {
      const { conditions } = parameters['conditions']
      return json(input.json, conditions.every(({ leftValue }: Loose) => read(leftValue) === true) ? 0 : 1)
    }
    case 'extractFromFile':
      return json({
        ...input.json,
        [parameters['destinationKey']]: input.binary?.['data']?.content.toString(),
      })
    case 'crypto': {
      const mac = createHmac('sha256', read(parameters['secret'])).update(read(parameters['value']))
      return json({ ...input.json, [parameters['dataPropertyName']]: mac.digest('hex') })
    }
    case 'httpRequest':
      return json(await exchange(node, read, input, execution))
    default:
      return json(input.json)
  }
}

function assigned({ parameters }: Node) {
  const assignments: { name: string; value: string }[] = parameters['assignments'].assignments
  return Object.fromEntries(assignments.map(({ name, value }) => [name, value]))
}

async function exchange(
  node: Node,
  read: (parameter: unknown) => Loose,
  { binary }: Item,
  { send }: Execution,
) {
  const { method = 'GET', url, sendBody, contentType, jsonBody, options, ...other } = node.parameters
  const pairs = (name: string): Record<string, string> =>
    Object.fromEntries((other[name]?.parameters ?? []).map((each: Loose) => [each.name, read(each.value)]))
  const isForm = contentType === 'multipart-form-data'
  const { headers, body } = await send({
    node,
    method,
    url: read(url),
    headers: pairs('headerParameters'),
    query: pairs('queryParameters'),
    ...(sendBody && !isForm && { json: JSON.parse(read(jsonBody)) }),
    ...(isForm && { form: formOf(other['bodyParameters'].parameters, read, binary) }),
  })
  const isFull = options.response?.response?.fullResponse === true
  return isFull ? { headers: Object.fromEntries(headers), body } : body
}

function formOf(parameters: Loose[], read: (parameter: unknown) => Loose, binary: Item['binary']): FormData {
  const form = new FormData()
  for (const { parameterType, name, value, inputDataFieldName } of parameters) {
    const file = binary?.[inputDataFieldName]
    if (parameterType === 'formData') form.append(name, read(value))
    else if (file !== undefined) form.append(name, new Blob([new Uint8Array(file.content)]), file.fileName)
  }
  return form
}

/** What n8n's expressions and code see. */
function scopeOf(input: Item, items: Record<string, Item>, { id, kept }: Execution) {
  const node = (name: string) => ({ item: items[name], first: () => items[name] })
  return {
    $: node,
    $json: input.json,
    $input: { first: () => input },
    $workflow: { id: 'wf' },
    $execution: { id },
    $itemIndex: 0,
    $getWorkflowStaticData: () => kept,
    Buffer,
    helpers: {
      prepareBinaryData: async (content: Buffer, fileName: string) => ({ content, fileName }),
    },
  }
}

/** A text that begins with `=` is a template: one expression is its value, others become text. */
export function evaluated(parameter: unknown, scope: object): unknown {
  if (typeof parameter !== 'string' || !parameter.startsWith('=')) return parameter
  const template = parameter.slice(1)
  const [, whole] = /^\{\{((?:(?!\}\}).)*)\}\}$/.exec(template) ?? []
  if (whole !== undefined) return runInNewContext(`(${whole})`, scope)
  return template.replaceAll(/\{\{((?:(?!\}\}).)*)\}\}/g, (_, expression) =>
    String(runInNewContext(`(${expression})`, scope)),
  )
}

async function runCode(code: string, scope: { helpers: object }): Promise<Item> {
  const run = runInNewContext(`(async function () { ${code} })`, scope)
  const [first] = (await run.call({ helpers: scope.helpers })) as Item[]
  return first ?? { json: null }
}
