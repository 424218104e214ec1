/**
 * The sign-in page: by passkey, by address, password and code, or at an identity provider.
 *
 * @module
 */
import { useQueryClient } from "@tanstack/react-query"
import { getRouteApi, Link, useRouter } from "@tanstack/react-router"
import { type FormEvent, useState } from "react"
import { useTexts } from "../../app/reader.tsx"
import { rememberPlace, takePlace } from "../../app/returnPlace.ts"
import { usePasskeySignIn } from "../../app/usePasskeySignIn.ts"
import { usePasswordSignIn } from "../../app/usePasswordSignIn.ts"
import { useProviders } from "../../app/useProviders.ts"
import { Button, ButtonAnchor } from "../../parts/form/Button.tsx"
import { Field, Input, PasswordInput } from "../../parts/form/Field.tsx"
import { pathWithin } from "../../lib/within.ts"
import { Banner } from "../../parts/page/Banner.tsx"
import { Outside } from "./Outside.tsx"
import styles from "./Outside.module.css"

const route = getRouteApi("/sign-in")

/** The page. */
export const SignIn = () => {
  const texts = useTexts()
  const router = useRouter()
  const client = useQueryClient()
  const { problem, ...search } = route.useSearch()
  // After a failed sign-in at a provider, the user still gets to the address they wanted.
  const [to] = useState(() => search.to ?? (problem === undefined ? undefined : (takePlace() ?? undefined)))
  const [email, setEmail] = useState("")
  const done = () => {
    // Data read by a previous user must not be shown to this one.
    client.clear()
    router.history.replace(pathWithin(to))
  }
  const { code, error, isBusy, needsCode, password, setCode, setPassword, submit } = usePasswordSignIn(done)
  const passkey = usePasskeySignIn(done)
  const providers = useProviders(email)
  const send = (event: FormEvent) => {
    event.preventDefault()
    submit(email)
  }
  return (
    <Outside title={texts.signIn.title}>
      {problem !== undefined && (
        <Banner tone="bad">{texts.signIn.problems[problem] ?? texts.signIn.providerFailed}</Banner>
      )}
      <form className={styles["form"]} onSubmit={send} noValidate>
        <Field label={texts.signIn.email}>
          <Input
            type="email"
            name="email"
            autoComplete="username webauthn"
            required
            // The field is the purpose of the page.
            // oxlint-disable-next-line jsx-a11y/no-autofocus
            autoFocus
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        </Field>
        <Field label={texts.signIn.password} error={needsCode ? null : error}>
          <PasswordInput
            name="password"
            autoComplete="current-password"
            required
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        </Field>
        {needsCode && (
          <Field label={texts.signIn.code} hint={texts.signIn.codeHint} error={error}>
            <Input
              name="code"
              inputMode="numeric"
              autoComplete="one-time-code"
              // The field appears in response to what the user just submitted.
              // oxlint-disable-next-line jsx-a11y/no-autofocus
              autoFocus
              value={code}
              onChange={(event) => setCode(event.target.value)}
            />
          </Field>
        )}
        <Button type="submit" tone="primary" isBusy={isBusy}>
          {texts.signIn.submit}
        </Button>
      </form>
      {(passkey.has || providers.length > 0) && (
        <div className={styles["others"]}>
          {passkey.error !== null && <Banner tone="bad">{passkey.error}</Banner>}
          {passkey.has && (
            <Button icon="key" isBusy={passkey.isBusy} onClick={passkey.submit}>
              {texts.signIn.usePasskey}
            </Button>
          )}
          {providers.map(({ id, name, url }) => (
            <ButtonAnchor key={id} href={url} onClick={() => rememberPlace(to)}>
              {texts.signIn.withProvider(name)}
            </ButtonAnchor>
          ))}
        </div>
      )}
      <p className={styles["foot"]}>
        <Link to="/reset-password">{texts.signIn.forgotten}</Link>
      </p>
    </Outside>
  )
}
