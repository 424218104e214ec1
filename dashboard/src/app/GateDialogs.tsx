/**
 * The dialogs that ask the user to sign in again, or to confirm with a factor, on top of the page that needs it.
 *
 * @module
 */
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { call } from "../api/call.ts"
import { ApiError } from "../api/errors.ts"
import type { OpenGate } from "../api/gates.ts"
import { keyOf } from "../api/queries.ts"
import { pathWithin } from "../lib/within.ts"
import { Button, ButtonAnchor } from "../parts/form/Button.tsx"
import { Field, Input, PasswordInput } from "../parts/form/Field.tsx"
import { Dialog } from "../parts/overlay/Dialog.tsx"
import { Banner } from "../parts/page/Banner.tsx"
import { hasPasskeys, signByPasskey } from "./passkeys.ts"
import { useTexts } from "./reader.tsx"
import type { Session } from "./session.ts"
import { usePasskeySignIn } from "./usePasskeySignIn.ts"
import { usePasswordSignIn } from "./usePasswordSignIn.ts"
import { useProviders } from "./useProviders.ts"

/** The dialog for an expired session. */
export const SignInAgain = ({ gate }: { readonly gate: OpenGate }) => {
  const texts = useTexts()
  const client = useQueryClient()
  const known = client.getQueryData<Session>(keyOf("GET /session", {}))
  const [email, setEmail] = useState(known?.user.email ?? "")
  const done = async () => {
    const now = await call("GET /session", {}, { asks: false }).catch(() => null)
    if (known !== undefined && now !== null && now.user.id !== known.user.id) {
      // Another user signed in. What the previous user read or entered must not be shown or sent in this session.
      location.assign(pathWithin("/"))
      return
    }
    if (now !== null) client.setQueryData(keyOf("GET /session", {}), now)
    gate.close(true)
  }
  const { code, error, isBusy, needsCode, password, setCode, setPassword, submit } = usePasswordSignIn(
    () => void done()
  )
  const passkey = usePasskeySignIn(() => void done())
  const providers = useProviders(email)
  return (
    <Dialog
      isGate
      isOpen
      onClose={() => gate.close(false)}
      title={texts.signIn.again}
      text={texts.signIn.againText}
      onSubmit={() => submit(email)}
      actions={
        <>
          {passkey.has && (
            <Button tone="quiet" icon="key" isBusy={passkey.isBusy} onClick={passkey.submit}>
              {texts.signIn.usePasskey}
            </Button>
          )}
          <Button onClick={() => gate.close(false)}>{texts.common.cancel}</Button>
          <Button type="submit" tone="primary" isBusy={isBusy}>
            {texts.signIn.submit}
          </Button>
        </>
      }
    >
      {passkey.error !== null && <Banner tone="bad">{passkey.error}</Banner>}
      <Field label={texts.signIn.email}>
        <Input
          type="email"
          name="email"
          autoComplete="username webauthn"
          value={email}
          readOnly={known !== undefined}
          onChange={(event) => setEmail(event.target.value)}
        />
      </Field>
      <Field label={texts.signIn.password} error={needsCode ? null : error}>
        <PasswordInput
          name="password"
          autoComplete="current-password"
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
      {providers.map(({ id, name, url }) => (
        <ButtonAnchor key={id} href={url} target="_blank" rel="noreferrer" iconAfter="external">
          {texts.signIn.withProvider(name)}
        </ButtonAnchor>
      ))}
      {providers.length > 0 && (
        <Banner action={<Button onClick={() => void done()}>{texts.signIn.goOn}</Button>}>
          {texts.signIn.elsewhereText}
        </Banner>
      )}
    </Dialog>
  )
}

/** What the field asks for; null for a user who signs in at an identity provider and has nothing to enter. */
type Way = "Password" | "Totp" | null

/** The dialog for an action that requires a factor. */
export const ConfirmFactor = ({ gate }: { readonly gate: OpenGate }) => {
  const texts = useTexts()
  const has = (factor: string) => gate.factors.includes(factor)
  const byPasskey = has("Passkey") && hasPasskeys()
  const [way, setWay] = useState<Way>(has("Password") ? "Password" : has("Totp") ? "Totp" : null)
  const [value, setValue] = useState("")
  const [error, setError] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const confirm = async (makeBody: () => Promise<Parameters<typeof send>[0] | null>) => {
    setBusy(true)
    setError(null)
    try {
      const body = await makeBody()
      if (body === null) return
      await send(body)
      gate.close(true)
    } catch (failed) {
      const isWrong = failed instanceof ApiError && failed.status === 401
      setError(isWrong ? texts.signIn.confirmFailed : failed instanceof Error ? failed.message : null)
    } finally {
      setBusy(false)
    }
  }
  const send = (body: NonNullable<Parameters<typeof call<"POST /session/confirm">>[1]["body"]>) =>
    call("POST /session/confirm", { body }, { asks: false })
  const confirmByPasskey = () =>
    void confirm(async () => {
      const options = await call("POST /session/passkey/options", {}, { asks: false })
      const passkey = await signByPasskey(options)
      return passkey === null ? null : { passkey }
    })
  const isElsewhere = way === null && !byPasskey
  const submit = () => {
    if (isElsewhere) gate.close(true)
    else if (way === null) confirmByPasskey()
    else void confirm(() => Promise.resolve(way === "Totp" ? { code: value.trim() } : { password: value }))
  }
  const other = way === "Password" ? "Totp" : "Password"
  return (
    <Dialog
      isGate
      isOpen
      onClose={() => gate.close(false)}
      title={texts.signIn.confirm}
      text={isElsewhere ? texts.signIn.confirmElsewhere : texts.signIn.confirmText}
      onSubmit={submit}
      actions={
        <>
          {way !== null && has(other) && (
            <Button
              tone="quiet"
              onClick={() => {
                setWay(other)
                setValue("")
                setError(null)
              }}
            >
              {other === "Totp" ? texts.signIn.useCode : texts.signIn.usePassword}
            </Button>
          )}
          {way !== null && byPasskey && (
            <Button tone="quiet" icon="key" onClick={confirmByPasskey}>
              {texts.signIn.usePasskey}
            </Button>
          )}
          <Button onClick={() => gate.close(false)}>{texts.common.cancel}</Button>
          <Button type="submit" tone="primary" isBusy={isBusy}>
            {isElsewhere
              ? texts.signIn.goOn
              : way === null
                ? texts.signIn.usePasskey
                : texts.signIn.confirmSubmit}
          </Button>
        </>
      }
    >
      {way === null && error !== null && <Banner tone="bad">{error}</Banner>}
      {isElsewhere && (
        <ButtonAnchor href={pathWithin("/sign-in")} target="_blank" rel="noreferrer" iconAfter="external">
          {texts.signIn.submit}
        </ButtonAnchor>
      )}
      {way !== null && (
        <Field label={way === "Totp" ? texts.signIn.confirmCode : texts.signIn.password} error={error}>
          {way === "Totp" ? (
            <Input
              inputMode="numeric"
              autoComplete="one-time-code"
              value={value}
              onChange={(event) => setValue(event.target.value)}
            />
          ) : (
            <PasswordInput
              autoComplete="current-password"
              value={value}
              onChange={(event) => setValue(event.target.value)}
            />
          )}
        </Field>
      )}
    </Dialog>
  )
}
