/**
 * Confirms that a program may sign in as the user, such as `svc login` (RFC 8628).
 *
 * @module
 */
import { type FormEvent, useState } from "react"
import { useChange } from "../../api/queries.ts"
import { useTexts } from "../../app/reader.tsx"
import { Button } from "../../parts/form/Button.tsx"
import { Field, Fields, FormActions, Input } from "../../parts/form/Field.tsx"
import { Banner, ErrorBanner } from "../../parts/page/Banner.tsx"
import { Page } from "../../parts/page/Page.tsx"

/** The screen. */
export const Device = () => {
  const { device: texts } = useTexts()
  const [userCode, setUserCode] = useState("")
  const { error, isPending, isSuccess, mutate } = useChange("POST /device/confirm", { renews: [] })
  const confirm = (event: FormEvent) => {
    event.preventDefault()
    mutate({ body: { userCode: userCode.trim() } })
  }
  const fieldError = error?.fields["userCode"]
  return (
    <Page isNarrow title={texts.title} text={texts.text}>
      {isSuccess ? (
        <Banner tone="good">{texts.done}</Banner>
      ) : (
        <form onSubmit={confirm} noValidate>
          <Fields>
            {error !== null && fieldError === undefined && <ErrorBanner error={error} />}
            <Field label={texts.code} hint={texts.codeHint} error={fieldError}>
              <Input
                name="userCode"
                autoComplete="off"
                spellCheck={false}
                value={userCode}
                onChange={(event) => setUserCode(event.target.value)}
              />
            </Field>
            <FormActions>
              <Button type="submit" tone="primary" isBusy={isPending} disabled={userCode.trim() === ""}>
                {texts.confirm}
              </Button>
            </FormActions>
          </Fields>
        </form>
      )}
    </Page>
  )
}
