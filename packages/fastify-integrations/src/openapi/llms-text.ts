import { documentFor } from './audiences.ts'

interface Document {
  readonly info: { readonly title: string; readonly description: string }
  readonly paths: Record<string, Record<string, { readonly summary?: string }>>
  readonly webhooks: Record<string, { readonly post: { readonly summary?: string } }>
}

/**
 * The API in the format of llms.txt (llmstxt.org), for coding assistants.
 * @param at the path of the documentation
 */
export function llmsText(document: Readonly<Record<string, unknown>>, at: string): string {
  const whole = document as unknown as Document
  const partners = documentFor('partners', document) as unknown as Document
  const members = documentFor('members', document) as unknown as Document
  const [about = '', ...more] = whole.info.description.split('\n\n')
  return [
    `# ${whole.info.title}`,
    `> ${about.replaceAll('\n', ' ')}`,
    ...more,
    'Starts are asynchronous: they return 202. Poll the result, read the event feed, or receive signed webhooks.',
    `## Documents\n\n${[
      `- [OpenAPI 3.1 for partners](${at}/partners/json): the routes of an API key, and the webhooks`,
      `- [OpenAPI 3.1 for members](${at}/members/json): the routes of a session`,
      `- [OpenAPI 3.1, complete](${at}/json)`,
      `- [OpenAPI 3.0 for partners](${at}/partners/openapi-3.0.json): for older tools, without webhooks`,
    ].join('\n')}`,
    `## Routes for partners\n\n${routesOf(partners)}`,
    `## Webhooks\n\n${Object.entries(whole.webhooks)
      .map(([type, { post }]) => `- \`${type}\`: ${post.summary ?? ''}`)
      .join('\n')}`,
    `## Optional\n\nRoutes for members of an organization, with a session:\n\n${routesOf(members)}`,
  ]
    .join('\n\n')
    .concat('\n')
}

function routesOf({ paths }: Document): string {
  return Object.entries(paths)
    .flatMap(([path, operations]) =>
      Object.entries(operations).map(
        ([method, { summary = '' }]) => `- \`${method.toUpperCase()} ${path}\`: ${summary}`,
      ),
    )
    .join('\n')
}
