import { emptyDatabase } from '@quickquote/dev-servers/vitest'
import { it } from 'vitest'
import { cancelAll, cancelOne, terminateOne, torture } from './support/torture.ts'

it('Cancels, ended sessions and lost prepared statements lose nothing, and mix up nothing', async () => {
  const database = await emptyDatabase()
  await torture(database.url, 3000, [cancelOne, terminateOne, cancelAll])
  await database.drop()
})
