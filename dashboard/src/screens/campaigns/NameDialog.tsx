/**
 * The dialog that asks for a campaign's name.
 *
 * @module
 */
import { useState } from "react"
import type { ApiError } from "../../api/errors.ts"
import { useTexts } from "../../app/reader.tsx"
import { Button } from "../../parts/form/Button.tsx"
import { Field, Input } from "../../parts/form/Field.tsx"
import { Dialog } from "../../parts/overlay/Dialog.tsx"
import { ErrorBanner } from "../../parts/page/Banner.tsx"
import { useCampaignTexts } from "../../texts/campaigns/useCampaignTexts.ts"

/** The dialog. */
export const NameDialog = ({
  action,
  error,
  initial = "",
  isBusy,
  onClose,
  onSubmit,
  text,
  title
}: {
  readonly title: string
  readonly text?: string
  readonly action: string
  readonly initial?: string
  readonly error: ApiError | null
  readonly isBusy: boolean
  readonly onClose: () => void
  readonly onSubmit: (name: string) => void
}) => {
  const { common } = useTexts()
  const texts = useCampaignTexts()
  const [name, setName] = useState(initial)
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={() => onSubmit(name.trim())}
      title={title}
      {...(text === undefined ? {} : { text })}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" tone="primary" isBusy={isBusy}>
            {action}
          </Button>
        </>
      }
    >
      {error !== null && error.fields["name"] === undefined && <ErrorBanner error={error} />}
      <Field label={texts.name} hint={texts.nameHint} error={error?.fields["name"]}>
        <Input value={name} autoComplete="off" onChange={(event) => setName(event.target.value)} />
      </Field>
    </Dialog>
  )
}
