/**
 * What stands in the place of a thing that an address names and that is not there.
 *
 * @module
 */
import { useContext } from "react"
import { useTexts } from "../../app/reader.tsx"
import { ButtonLink } from "../form/Button.tsx"
import { BackContext } from "./back.ts"
import { EmptyState } from "./Empty.tsx"

/** The title for a thing that is not there: `thing` is one of the kinds of the texts. */
export const useMissingTitle = () => {
  const { common, palette } = useTexts()
  return (thing: string): string => common.missing(palette.kinds[thing] ?? thing)
}

/** Says what is missing, with a way to the screen above; a dialog has its way out already. */
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
