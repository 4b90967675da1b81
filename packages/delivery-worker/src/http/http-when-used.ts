import type { Http, HttpOptions } from './http.ts'
import { trust } from './trust.ts'

/**
 * Loads the HTTP client at the first request: with undici and the public certificates it takes 80 ms and 4 MiB, which the
 * start of a host need not wait for.
 * @throws Error if `ca` contains an invalid certificate
 */
export function httpWhenUsed(options: HttpOptions): Http {
  let http: Http | undefined
  let loading: Promise<Http> | undefined
  let isStopped = false
  if (options.ca !== undefined) trust(options.ca)

  async function load(): Promise<Http> {
    try {
      const { createHttp } = await import('./http.ts')
      http = createHttp(options)
    } catch (error) {
      loading = undefined
      throw error
    }
    if (isStopped) http.abort()
    return http
  }

  async function loaded(): Promise<Http> {
    loading ??= load()
    return loading
  }

  return {
    turn: (origin, organizationId) =>
      http?.turn(origin, organizationId) ?? loaded().then(({ turn }) => turn(origin, organizationId)),
    async post(request) {
      return (http ?? (await loaded())).post(request)
    },
    abort() {
      isStopped = true
      http?.abort()
    },
    async close() {
      await loading?.catch(() => undefined)
      await http?.close()
    },
  }
}
