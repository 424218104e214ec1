/**
 * Names who did something, in the reader's language.
 *
 * @module
 */
import { useTexts } from "./reader.tsx"

/** Users are named by their name alone. Programs are named with their kind, because the name of a token could be anybody's. */
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
