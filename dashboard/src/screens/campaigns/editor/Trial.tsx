/**
 * Sends the campaign to some addresses as a test.
 *
 * @module
 */
import { useState } from "react"
import { useChange } from "../../../api/queries.ts"
import { useFormat } from "../../../app/reader.tsx"
import { useSession } from "../../../app/session.ts"
import type { VariantDraft } from "../../../lib/campaigns/draft.ts"
import { Button } from "../../../parts/form/Button.tsx"
import { Field, Fields, FormActions, Input, Select } from "../../../parts/form/Field.tsx"
import { toast } from "../../../parts/overlay/toasts.ts"
import { Banner, ErrorBanner } from "../../../parts/page/Banner.tsx"
import { Section } from "../../../parts/page/Page.tsx"
import { useCampaignTexts } from "../../../texts/campaigns/useCampaignTexts.ts"

/** The section of the check step. It sends the saved version. */
export const Trial = ({
  accountId,
  campaignId,
  isSaved,
  variants
}: {
  readonly accountId: string
  readonly campaignId: string
  readonly isSaved: boolean
  readonly variants: ReadonlyArray<VariantDraft>
}) => {
  const { test, trial: texts } = useCampaignTexts()
  const format = useFormat()
  const { user } = useSession()
  const [to, setTo] = useState(user.email)
  const [variant, setVariant] = useState("a")
  const { data, error, isPending, mutate, reset } = useChange("POST /accounts/:accountId/campaigns/:id/test")
  const send = () =>
    mutate(
      {
        params: { accountId, id: campaignId },
        body: {
          to: to
            .split(",")
            .map((address) => address.trim())
            .filter((address) => address !== ""),
          ...(variants.length === 0 ? {} : { variantId: variant })
        }
      },
      {
        onSuccess: ({ sent }) => {
          if (sent.length > 0) toast(texts.sent(format.number(sent.length), sent.length))
        }
      }
    )
  const refused = Object.entries(error?.fields ?? {}).find(([field]) => field.startsWith("to"))?.[1]
  return (
    <Section title={texts.title} text={texts.text}>
      {error !== null && refused === undefined && <ErrorBanner error={error} />}
      {(data?.refused ?? []).map(({ email }) => (
        <Banner key={email} tone="warning">
          {texts.refused(email)}
        </Banner>
      ))}
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          send()
        }}
      >
        <Fields>
          <Field label={texts.to} hint={texts.toHint} error={refused}>
            <Input
              dir="ltr"
              value={to}
              onChange={(event) => {
                setTo(event.target.value)
                if (error !== null) reset()
              }}
            />
          </Field>
          {variants.length > 0 && (
            <Field label={texts.variant}>
              <Select
                value={variant}
                onChange={(event) => setVariant(event.target.value)}
                options={variants.map(({ id, name }) => ({ value: id, label: test.variant(id, name) }))}
              />
            </Field>
          )}
          <FormActions>
            <Button type="submit" icon="email" isBusy={isPending} disabled={!isSaved}>
              {texts.send}
            </Button>
          </FormActions>
        </Fields>
      </form>
    </Section>
  )
}
