import postgres from 'postgres'

/** Watches keys and signing secrets: after the response that issues one, it must not appear anywhere. */
export interface SecretWatch {
  /** Checks a response, and remembers the secret that it issues. */
  answered(method: string, path: string, text: string, body: Record<string, unknown>): void
  /** Leaked secrets in responses, log lines, and rows of any table. */
  leaks(logs: readonly string[], databaseUrl: string): Promise<string[]>
}

export function watchSecrets(): SecretWatch {
  const secrets = new Set<string>()
  const leaks: string[] = []

  return {
    answered(method, path, text, body) {
      if (holdsAny(text, secrets)) leaks.push(`the answer of ${method} ${path}`)
      for (const secret of [body['secret'], body['key']]) {
        if (typeof secret === 'string' && /^(whsec|pk)_/.test(secret)) secrets.add(secret)
      }
    },
    async leaks(logs, databaseUrl) {
      const lines = logs.filter((line) => holdsAny(line, secrets)).map((line) => `the log line ${line}`)
      return [...leaks, ...lines, ...(await leaksOf(databaseUrl, secrets))]
    },
  }
}

/** The secret part, so that prefixes and masks do not count. */
function coreOf(secret: string): string {
  return secret.replace(/^(whsec|pk)_/, '').slice(4, -6)
}

function holdsAny(text: string, secrets: ReadonlySet<string>): boolean {
  return [...secrets].some((secret) => text.includes(coreOf(secret)))
}

/** Rows as text show bytes in hex: searches for the text, its bytes in hex, and its decoded base64. */
async function leaksOf(databaseUrl: string, secrets: ReadonlySet<string>): Promise<string[]> {
  const sql = postgres(databaseUrl, { max: 1, fetch_types: false, onnotice() {} })
  try {
    const spellings = new Map(
      [...secrets].flatMap((secret) => [
        [coreOf(secret), 'plain'],
        [Buffer.from(coreOf(secret)).toString('hex'), 'bytes'],
        [
          Buffer.from(secret.replace(/^(whsec|pk)_/, ''), 'base64')
            .toString('hex')
            .slice(0, 40),
          'decoded',
        ],
      ]),
    )
    const tables = await sql<{ name: string }[]>`
      select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname not in ('pg_catalog', 'information_schema')`
    const found = await Promise.all(
      tables.map(async ({ name }) => {
        const rows = await sql.unsafe<{ row: string }[]>(`select entry::text as row from ${name} entry`)
        return rows.some(({ row }) => [...spellings.keys()].some((each) => row.includes(each)))
          ? [`the table ${name}`]
          : []
      }),
    )
    return found.flat()
  } finally {
    await sql.end()
  }
}
