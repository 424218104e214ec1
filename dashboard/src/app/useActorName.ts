/**
 * Who did something, in the reader's words.
 *
 * @module
 */
import { useTexts } from "./reader.tsx"

/** Names people by their names, and programs with what they are: a token's name alone could be anybody's. */
export const useActorName = (): ((actor: {
  readonly kind: string
  readonly name: string | null
}) => string) => {
  const { kinds } = useTexts().audit
  return ({ kind, name }) => {
    const what = kinds[kind] ?? kind
    if (name === null) return what
    return kind === "User" ? name : `${what} ${name}`
  }
}
