// Runs on the documentation page, behind swagger-ui in the same file.

/** The document refers only to itself. swagger-ui's own resolver reads all of it for each part: seconds of work. */
function inlineRefs(root) {
  const target = (ref) =>
    ref
      .slice('#/'.length)
      .split('/')
      .reduce((node, name) => node[name.replaceAll('~1', '/').replaceAll('~0', '~')], root)
  const inline = (node, within) => {
    if (Array.isArray(node)) return node.map((each) => inline(each, within))
    if (typeof node !== 'object' || node === null) return node
    const { $ref, ...own } = node
    if (typeof $ref === 'string' && !within.includes($ref)) {
      return { ...inline(target($ref), [...within, $ref]), ...inline(own, within) }
    }
    return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, inline(value, within)]))
  }
  return (node) => inline(node, [])
}

function quickly() {
  return {
    fn: {
      async resolveSubtree(document, path) {
        const part = path.reduce((node, name) => node?.[name], document)
        return { spec: inlineRefs(document)(part), errors: [] }
      },
    },
    statePlugins: {
      spec: {
        wrapActions: {
          // swagger-ui parses JSON as YAML.
          parseToJson:
            (parse, { specActions }) =>
            (text) => {
              try {
                return specActions.updateJsonSpec(JSON.parse(text))
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

const page = document.querySelector('#swagger-ui')
SwaggerUIBundle({
  domNode: page,
  url: new URL(page.dataset.document, location.href).href,
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [quickly, accessible],
  layout: 'BaseLayout',
  deepLinking: true,
  docExpansion: 'list',
  // The schemas are shown where they are used.
  defaultModelsExpandDepth: -1,
  validatorUrl: null,
})
new MutationObserver(() => complete(page)).observe(page, { childList: true, subtree: true })
