import { documentFor } from './audiences.ts'
import { type OpenApiDocument, operationsOf } from './openapi-shape.ts'

/**
 * The API in the format of llms.txt (llmstxt.org), for coding assistants.
 * @param at the path of the documentation
 */
export function llmsText(document: OpenApiDocument, at: string): string {
  const { title, description } = document.info
  const [{ url: server }] = document.servers
  const [about = '', ...more] = description.split('\n\n')
  const events = operationsOf(document.webhooks).map(({ path, summary }) => `- \`${path}\`: ${summary}`)
  const parts = [
    `# ${title}`,
    `> ${about.replaceAll('\n', ' ')}`,
    ...more,
    ...(server === '/' ? [] : [`The paths below follow \`${server}\`.`]),
    'Starts are asynchronous: they return 202. Poll the result, read the event feed, or receive signed webhooks.',
    `## Documents\n\n${[
      `- [OpenAPI 3.1 for partners](${at}/partners/json): the routes of an API key, and the webhooks`,
      `- [OpenAPI 3.1 for members](${at}/members/json): the routes of a session`,
      `- [OpenAPI 3.1, complete](${at}/json)`,
      `- [OpenAPI 3.0 for partners](${at}/partners/openapi-3.0.json): for older tools, without webhooks`,
    ].join('\n')}`,
    `## Routes for partners\n\n${routesOf(documentFor('partners', document))}`,
    `## Webhooks\n\n${events.join('\n')}`,
    `## Optional\n\nRoutes for members of an organization, with a session:\n\n${routesOf(documentFor('members', document))}`,
  ]
  return `${parts.join('\n\n')}\n`
}

function routesOf({ paths }: OpenApiDocument): string {
  return operationsOf(paths)
    .map(({ method, path, summary }) => `- \`${method.toUpperCase()} ${path}\`: ${summary}`)
    .join('\n')
}
