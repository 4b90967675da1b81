/** A page of a list. */
export interface Page<T> {
  readonly items: readonly T[]
  /** The cursor of the next page; null after the last one. */
  readonly next: string | null
}

/** A list: `for await (const item of list)` reads page by page as needed, `page()` reads one page. */
export interface Pages<T> extends AsyncIterable<T> {
  /**
   * @param cursor `next` of the previous page; default: the first page
   */
  page(cursor?: string): Promise<Page<T>>
}

export function pages<T>(page: (cursor: string | undefined) => Promise<Page<T>>): Pages<T> {
  return {
    page,
    async *[Symbol.asyncIterator]() {
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const read: Page<T> = await page(cursor)
        yield* read.items
        cursor = read.next
      }
    },
  }
}

/** A parameter of a response's `next` link; null without one. */
export function nextOf(headers: Headers, parameter: 'cursor' | 'after'): string | null {
  const [, link] = /<([^<>]*)>; rel="next"/.exec(headers.get('Link') ?? '') ?? []
  return link === undefined ? null : new URL(link, 'http://localhost').searchParams.get(parameter)
}
