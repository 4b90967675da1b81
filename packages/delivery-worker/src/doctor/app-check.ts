import { answerInTime, trimEndOf } from '@quickquote/core/internal'
import { type Finding, finding } from './finding.ts'

/** The plugin's refusals of requests without credentials. */
const REFUSALS = [
  { path: '/v1/integrations/quotations', code: 'API_KEY_MISSING' },
  { path: '/v1/organizations/00000000-0000-4000-8000-000000000000/webhooks', code: 'SESSION_REQUIRED' },
]

const PATIENCE_MS = 10_000

/**
 * Calls routes of the plugin without a key or a session, and compares the responses with the plugin's. Differences
 * reveal hooks of the app that answer first or count the request.
 * @param baseUrl the app's address, with the prefix of the plugin
 */
export async function checkApp(baseUrl: string): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const { path, code } of REFUSALS) {
    const route = `GET ${path}`
    let response: Response
    try {
      const url = trimEndOf(baseUrl, '/') + path
      response = await answerInTime('the app', PATIENCE_MS, () => fetch(url, { redirect: 'manual' }))
    } catch (error) {
      const { cause, message } = error as Error & { cause?: { code?: string } }
      return [finding('APP_UNREACHABLE', { cause: cause?.code ?? message })]
    }
    const body: unknown = await response.json().catch(() => null)
    const answered = typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined
    if (response.status !== 401 || answered !== code) {
      findings.push(finding('APP_HOOK_ANSWERS', { route, status: response.status }))
    } else if (response.headers.has('x-ratelimit-limit')) {
      findings.push(finding('APP_LIMITS_TWICE', { route }))
    }
  }
  return findings.length === 0 ? [finding('APP_ANSWERS')] : findings
}
