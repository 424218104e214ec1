/**
 * Starts the warm-up of a source at a chosen day of the plan, and shows the volume allowed on that day.
 *
 * @module
 */
import { useState } from "react"
import { useChange, useExtra } from "../../../api/queries.ts"
import { useFormat, useTexts } from "../../../app/reader.tsx"
import { Button } from "../../../parts/form/Button.tsx"
import { Field, Input } from "../../../parts/form/Field.tsx"
import { Dialog } from "../../../parts/overlay/Dialog.tsx"
import { toast } from "../../../parts/overlay/toasts.ts"
import { Banner, ErrorBanner } from "../../../parts/page/Banner.tsx"
import { useSourceTexts } from "../../../texts/sources/useSourceTexts.ts"
import { type Source, sourceRoutes } from "./sourceStates.ts"

/** The dialog. */
export const WarmUpDialog = ({
  onClose,
  source: { address, id, warmUp }
}: {
  readonly source: Source
  readonly onClose: () => void
}) => {
  const { common } = useTexts()
  const { warmUp: texts } = useSourceTexts()
  const format = useFormat()
  const plan = useExtra("GET /sources/plan", {})
  const [typed, setTyped] = useState(String(warmUp?.day ?? 1))
  const [tried, setTried] = useState(false)
  const { error, isPending, mutate } = useChange("POST /sources/:id/warm-up", { renews: sourceRoutes })
  const day = Number(typed.trim())
  const cap = plan?.caps[day - 1]
  const days = plan?.caps.length ?? 0
  const begin = () => {
    setTried(true)
    if (cap === undefined) return
    mutate(
      { params: { id }, body: { day } },
      {
        onSuccess: () => {
          toast(texts.begun(address))
          onClose()
        }
      }
    )
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={begin}
      title={texts.title(address)}
      text={texts.text}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" tone="primary" isBusy={isPending}>
            {warmUp === null ? texts.begin : texts.move}
          </Button>
        </>
      }
    >
      {error !== null && <ErrorBanner error={error} />}
      <Field
        label={texts.day}
        hint={plan === undefined ? undefined : texts.dayHint(format.number(days))}
        error={
          tried && plan !== undefined && cap === undefined ? texts.notADay(format.number(days)) : undefined
        }
      >
        <Input inputMode="numeric" value={typed} onChange={(event) => setTyped(event.target.value)} />
      </Field>
      {plan !== undefined && cap !== undefined && (
        <Banner tone="neutral">
          {texts.consequence(
            format.number(cap),
            format.number(plan.groups.length),
            format.number(cap * plan.groups.length),
            format.number(days - day)
          )}
        </Banner>
      )}
    </Dialog>
  )
}
