import { generate } from 'selfsigned'

const DAY_MS = 86_400_000
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS)
const named = (value: string) => [{ name: 'commonName', value }]

const extensionsOf = (use: object) => [
  { name: 'basicConstraints' as const, cA: false, critical: true },
  { name: 'extKeyUsage' as const, ...use },
  { name: 'subjectAltName' as const, altNames: [{ type: 7 as const, ip: '127.0.0.1' }] },
]
const OF_SERVER = extensionsOf({ serverAuth: true })
const OF_AUTHORITY = [
  { name: 'basicConstraints' as const, cA: true, critical: true },
  { name: 'keyUsage' as const, keyCertSign: true, critical: true },
]

/** Certificates for 127.0.0.1 with their authorities, each with one fault or none. */
export async function createChains() {
  const ec = { keyType: 'ec', algorithm: 'sha256' } as const
  const rsa = { keyType: 'rsa', algorithm: 'sha256' } as const
  const root = await generate(named('root'), { ...ec, extensions: OF_AUTHORITY })
  const rsaRoot = await generate(named('another root'), { ...rsa, extensions: OF_AUTHORITY })
  const by = ({ private: key, cert }: typeof root) => ({ ca: { key, cert } })
  const intermediate = await generate(named('intermediate'), { ...ec, ...by(root), extensions: OF_AUTHORITY })
  const ofServer = { ...ec, ...by(root), extensions: OF_SERVER }
  return {
    root,
    rsaRoot,
    intermediate,
    leaf: await generate(named('leaf'), { ...ec, ...by(intermediate), extensions: OF_SERVER }),
    sha1: await generate(named('sha1'), {
      keyType: 'rsa',
      algorithm: 'sha1',
      ...by(rsaRoot),
      extensions: OF_SERVER,
    }),
    expired: await generate(named('expired'), {
      ...ofServer,
      notBeforeDate: inDays(-2),
      notAfterDate: inDays(-1),
    }),
    early: await generate(named('early'), { ...ofServer, notBeforeDate: inDays(1), notAfterDate: inDays(2) }),
    forClients: await generate(named('client'), {
      ...ofServer,
      extensions: extensionsOf({ clientAuth: true }),
    }),
  }
}
