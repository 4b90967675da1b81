import { testDatabase } from '@quickquote/dev-servers'
import { inject, it } from 'vitest'
import { cancelAll, cancelOne, terminateOne, torture } from './torture.ts'

it('Cancels, ended sessions and lost prepared statements lose nothing, and mix up nothing', async () => {
  const database = await testDatabase(inject('postgresUrl'))
  await torture(database.url, 3000, [cancelOne, terminateOne, cancelAll])
  await database.drop()
})
