/**
 * What is shown if the thing that the URL names does not exist.
 *
 * @module
 */
import { useContext } from "react"
import { useTexts } from "../../app/reader.tsx"
import { ButtonLink } from "../form/Button.tsx"
import { BackContext } from "./back.ts"
import { EmptyState } from "./Empty.tsx"

/** The title for a missing thing. `thing` is one of the kinds in the texts. */
export const useMissingTitle = () => {
  const { common, palette } = useTexts()
  return (thing: string): string => common.missing(palette.kinds[thing] ?? thing)
}

/** Says what is missing, with a link to the screen above. A dialog needs no link, because it can be closed. */
export const Missing = ({ thing }: { readonly thing: string }) => {
  const { common, shortcuts } = useTexts()
  const title = useMissingTitle()(thing)
  const back = useContext(BackContext)
  return (
    <EmptyState
      icon="search"
      title={title}
      action={back !== null && <ButtonLink {...back.link}>{shortcuts.go(back.label)}</ButtonLink>}
    >
      {common.missingText}
    </EmptyState>
  )
}
