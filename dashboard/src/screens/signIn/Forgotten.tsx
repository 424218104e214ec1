/**
 * Requests a link to choose a new password. The response is the same for every address.
 *
 * @module
 */
import { Link } from "@tanstack/react-router"
import { type FormEvent, useState } from "react"
import { useChange } from "../../api/queries.ts"
import { useTexts } from "../../app/reader.tsx"
import { Button } from "../../parts/form/Button.tsx"
import { Field, Input } from "../../parts/form/Field.tsx"
import { Banner, ErrorBanner } from "../../parts/page/Banner.tsx"
import { Outside } from "./Outside.tsx"
import styles from "./Outside.module.css"

/** The page. */
export const Forgotten = () => {
  const texts = useTexts()
  const [email, setEmail] = useState("")
  const { error, isPending, isSuccess, mutate } = useChange("POST /password-resets")
  const send = (event: FormEvent) => {
    event.preventDefault()
    mutate({ body: { email: email.trim() } })
  }
  const wrong = error?.fields["email"]
  return (
    <Outside title={texts.forgotten.title} text={texts.forgotten.text}>
      {isSuccess ? (
        <Banner tone="good">
          {texts.forgotten.sent} {texts.forgotten.sentText}
        </Banner>
      ) : (
        <form className={styles["form"]} onSubmit={send} noValidate>
          {error !== null && wrong === undefined && <ErrorBanner error={error} />}
          <Field label={texts.signIn.email} error={wrong}>
            <Input
              type="email"
              name="email"
              autoComplete="username"
              value={email}
              onChange={(event) => setEmail(event.target.value)}
            />
          </Field>
          <Button type="submit" tone="primary" isBusy={isPending}>
            {texts.forgotten.submit}
          </Button>
        </form>
      )}
      <p className={styles["foot"]}>
        <Link to="/sign-in">{texts.forgotten.toSignIn}</Link>
      </p>
    </Outside>
  )
}
