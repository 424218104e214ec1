/**
 * Reports that another person has saved the object being edited, shows both versions, and lets the user choose.
 *
 * @module
 */
import type { ApiError } from "../../api/errors.ts"
import { Button } from "../../parts/form/Button.tsx"
import { Banner } from "../../parts/page/Banner.tsx"
import { Row } from "../../parts/page/Columns.tsx"
import { Section } from "../../parts/page/Page.tsx"
import { Diff } from "../../parts/show/Diff.tsx"
import { useEditorTexts } from "../../texts/editors/useEditorTexts.ts"

/** Whether a save was rejected because another person had saved in the meantime. */
export const isEditedMeanwhile = (error: ApiError | null): boolean =>
  error?.code === "common.edited_meanwhile"

/** The name of the person who saved, if it is known. */
const nameOf = ({ details }: ApiError): string | null => {
  const by = details["updatedBy"]
  const name = typeof by === "object" && by !== null && "name" in by ? by.name : null
  return typeof name === "string" ? name : null
}

/** The choice. */
export const EditedMeanwhile = ({
  error,
  isBusy,
  mine,
  onSaveMine,
  onTakeTheirs,
  theirs
}: {
  readonly error: ApiError
  readonly isBusy: boolean
  /** The version being edited here, as text. */
  readonly mine: string
  /** The version now saved, as text; null while it is being read. */
  readonly theirs: string | null
  readonly onSaveMine: () => void
  readonly onTakeTheirs: () => void
}) => {
  const { meanwhile: texts } = useEditorTexts()
  const name = nameOf(error)
  return (
    <Section title={texts.compare}>
      <Banner tone="bad">{name === null ? texts.bySomeone : texts.by(name)}</Banner>
      {theirs !== null && <Diff label={texts.compare} before={theirs} after={mine} />}
      <Row>
        <Button onClick={onTakeTheirs}>{texts.takeTheirs}</Button>
        <Button tone="danger" isBusy={isBusy} onClick={onSaveMine}>
          {texts.saveMine}
        </Button>
      </Row>
    </Section>
  )
}
