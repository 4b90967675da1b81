import { ONLY_KNOWN, PAGE_PARAMETERS, waitParameter } from '../lib/page.ts'
import { OneOf, schemaOf } from '../lib/schema.ts'
import { Type } from '../lib/type.ts'
import type { EventCatalog } from './event-catalog.ts'

export const eventFeedQuery = schemaOf(({ types }: EventCatalog) =>
  Type.Object(
    {
      after: Type.Optional(
        Type.String({
          maxLength: 100,
          description:
            'Where to continue: the cursor of a `next` link, the ID of an event (`evt_…`), or `latest` for events from now on. Default: the oldest event kept.',
        }),
      ),
      types: Type.Optional(
        Type.Array(OneOf(types), { description: 'Only events of these types, separated by commas.' }),
      ),
      generation_source: Type.Optional(
        OneOf(['api_key', 'ui', 'all'], {
          default: 'api_key',
          description:
            'Only events of quotations started through the partner API, in the web app, or either.',
        }),
      ),
      limit: PAGE_PARAMETERS.limit,
      wait: waitParameter('Seconds to wait if there is no event yet.'),
    },
    ONLY_KNOWN,
  ),
)
