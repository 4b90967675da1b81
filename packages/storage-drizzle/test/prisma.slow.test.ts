import { beforeAll, expect, it } from 'vitest'
import { onPrisma } from './support/hosts.ts'
import { installPrisma, type Prisma } from './support/prisma.ts'
import { useTransactions } from './support/transaction-samples.ts'

const context = useTransactions()
let prisma: Prisma

beforeAll(async () => {
  prisma = await installPrisma()
  return prisma.remove
})

context.describeWithin({ 'an interactive transaction of Prisma': (url) => onPrisma(prisma, url) })

it('within suggests the adapter for a client of Prisma', () => {
  const client = prisma.open(context.url)
  expect(() => context.integrations.within(client)).toThrow('transaction.$queryRawUnsafe(text, ...values)')
})
