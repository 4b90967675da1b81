// Runs on the documentation page, behind swagger-ui in the same file.

/**
 * The document as swagger-ui keeps it, with each reference replaced by its target, which is converted once for all of
 * them. A reference to a schema that contains it stays.
 */
function resolved({ OrderedMap, List }, root) {
  const targets = new Map()
  const targetOf = (ref) => {
    if (!targets.has(ref)) {
      targets.set(ref, OrderedMap({ $ref: ref }))
      const names = ref.slice('#/'.length).split('/')
      const node = names.reduce((at, name) => at?.[name.replaceAll('~1', '/').replaceAll('~0', '~')], root)
      if (node) targets.set(ref, convert(node))
    }
    return targets.get(ref)
  }
  const convert = (node) => {
    if (Array.isArray(node)) return List(node.map(convert))
    if (typeof node !== 'object' || node === null) return node
    const { $ref, ...own } = node
    const fields = OrderedMap(Object.entries(own).map(([name, value]) => [name, convert(value)]))
    return typeof $ref === 'string' ? targetOf($ref).merge(fields) : fields
  }
  return convert(root)
}

/**
 * The document refers only to itself, but swagger-ui's resolver reads all of it for each operation, merges the result into
 * its state, and renders three times. Here everything is resolved at once, and a click opens an operation.
 */
function quickly({ Im }) {
  return {
    statePlugins: {
      spec: {
        selectors: { specResolvedSubtree: (spec, path) => spec.getIn(['json', ...path]) },
        wrapActions: {
          requestResolvedSubtree: () => () => {},
          // swagger-ui parses JSON as YAML.
          parseToJson:
            (parse, { specActions }) =>
            (text) => {
              try {
                return specActions.updateJsonSpec(resolved(Im, JSON.parse(text)))
              } catch {
                return parse(text)
              }
            },
        },
      },
    },
  }
}

/** What swagger-ui lacks for screen readers. */
function accessible({ React }) {
  return {
    wrapComponents: {
      // A link within a button: the button itself changes the address.
      DeepLink:
        () =>
        ({ text }) =>
          React.createElement('span', null, text),
      // There is only this server.
      ServersContainer: () => () => null,
    },
  }
}

const textIn = (element, selector) => element.closest('.opblock')?.querySelector(selector)?.textContent ?? ''

/** Roles, names and levels of elements that swagger-ui renders without. */
const ATTRIBUTES = [
  ['.information-container', 'role', () => 'region'],
  ['.information-container', 'aria-label', () => 'Introduction'],
  ['.scheme-container', 'role', () => 'region'],
  ['.scheme-container', 'aria-label', () => 'Authorization'],
  ['h3.opblock-tag', 'aria-level', () => '2'],
  ['h4, h5', 'aria-level', () => '3'],
  ['.examples-select-element', 'aria-label', () => 'Example'],
  ['textarea.body-param__text', 'aria-label', () => 'Request body'],
  ['td.col_header', 'role', () => 'columnheader'],
  [
    '.responses-table[role]',
    'aria-label',
    (table) =>
      `Responses: ${textIn(table, '.opblock-summary-method')} ${textIn(table, '.opblock-summary-path')}`,
  ],
]

function complete(page) {
  for (const [selector, name, make] of ATTRIBUTES) {
    for (const element of page.querySelectorAll(`:is(${selector}):not([${name}])`)) {
      element.setAttribute(name, make(element))
    }
  }
}

const SETTINGS = {
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [quickly, accessible],
  layout: 'BaseLayout',
  // The schemas are shown where they are used.
  defaultModelsExpandDepth: -1,
  validatorUrl: null,
}

/** Safari has no idle callbacks. */
const whenIdle = window.requestIdleCallback ?? ((work) => setTimeout(work, 500))

/** Shows the first path to nobody, so that the code of an open operation is compiled before somebody opens one. */
function warmUp({ specSelectors }) {
  const part = specSelectors.specJson().update('paths', (paths) => paths.slice(0, 1))
  SwaggerUIBundle({
    ...SETTINGS,
    domNode: document.createElement('div'),
    spec: part.delete('webhooks').deleteIn(['components', 'schemas']).toJS(),
    docExpansion: 'full',
  })
}

const page = document.querySelector('#swagger-ui')
const ui = SwaggerUIBundle({
  ...SETTINGS,
  domNode: page,
  url: new URL(page.dataset.document, location.href).href,
  deepLinking: true,
  docExpansion: 'list',
  onComplete: () => whenIdle(() => warmUp(ui)),
})
new MutationObserver(() => complete(page)).observe(page, { childList: true, subtree: true })
