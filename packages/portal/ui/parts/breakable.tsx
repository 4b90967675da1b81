/** An event type or an id, from left to right in every language, that wraps after dots and underscores. */
export function Breakable({ text }: { text: string }) {
  return (
    <span dir="ltr">
      {text.split(/(?<=[._/])/).map((part, index) => (
        <span key={index}>
          {part}
          <wbr />
        </span>
      ))}
    </span>
  )
}
