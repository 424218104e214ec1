/**
 * Signs in again, and confirms with a factor, over the page that needs it.
 *
 * @module
 */
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { call } from "../api/call.ts"
import { ApiError } from "../api/errors.ts"
import type { OpenGate } from "../api/gates.ts"
import { keyOf } from "../api/queries.ts"
import { Button } from "../parts/form/Button.tsx"
import { Field, Input, PasswordInput } from "../parts/form/Field.tsx"
import { Dialog } from "../parts/overlay/Dialog.tsx"
import { useTexts } from "./reader.tsx"
import type { Session } from "./session.ts"
import { usePasswordSignIn } from "./usePasswordSignIn.ts"

/** The session has ended. */
export const SignInAgain = ({ gate }: { readonly gate: OpenGate }) => {
  const texts = useTexts()
  const client = useQueryClient()
  const known = client.getQueryData<Session>(keyOf("GET /session", {}))
  const [email, setEmail] = useState(known?.user.email ?? "")
  const { code, error, isBusy, needsCode, password, setCode, setPassword, submit } = usePasswordSignIn(() => {
    void client.invalidateQueries({ queryKey: keyOf("GET /session") })
    gate.close(true)
  })
  return (
    <Dialog
      isOpen
      onClose={() => gate.close(false)}
      title={texts.signIn.again}
      text={texts.signIn.againText}
      onSubmit={() => submit(email)}
      actions={
        <>
          <Button onClick={() => gate.close(false)}>{texts.common.cancel}</Button>
          <Button type="submit" tone="primary" isBusy={isBusy}>
            {texts.signIn.submit}
          </Button>
        </>
      }
    >
      <Field label={texts.signIn.email}>
        <Input
          type="email"
          name="email"
          autoComplete="username"
          value={email}
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
            // It appears because of what was just sent.
            // oxlint-disable-next-line jsx-a11y/no-autofocus
            autoFocus
            value={code}
            onChange={(event) => setCode(event.target.value)}
          />
        </Field>
      )}
    </Dialog>
  )
}

/** The action needs a factor. */
export const ConfirmFactor = ({ gate }: { readonly gate: OpenGate }) => {
  const texts = useTexts()
  const hasCode = gate.factors.some((factor) => /totp|code/i.test(factor))
  const hasPassword = gate.factors.length === 0 || gate.factors.some((factor) => /password/i.test(factor))
  const [byCode, setByCode] = useState(!hasPassword)
  const [value, setValue] = useState("")
  const [error, setError] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const confirm = async () => {
    setBusy(true)
    try {
      await call(
        "POST /session/confirm",
        { body: byCode ? { code: value } : { password: value } },
        { asks: false }
      )
      gate.close(true)
    } catch (failed) {
      const isWrong = failed instanceof ApiError && failed.status === 401
      setError(isWrong ? texts.signIn.confirmFailed : failed instanceof Error ? failed.message : null)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog
      isOpen
      onClose={() => gate.close(false)}
      title={texts.signIn.confirm}
      text={texts.signIn.confirmText}
      onSubmit={() => void confirm()}
      actions={
        <>
          {hasCode && hasPassword && (
            <Button
              tone="quiet"
              onClick={() => {
                setByCode(!byCode)
                setValue("")
                setError(null)
              }}
            >
              {byCode ? texts.signIn.usePassword : texts.signIn.useCode}
            </Button>
          )}
          <Button onClick={() => gate.close(false)}>{texts.common.cancel}</Button>
          <Button type="submit" tone="primary" isBusy={isBusy}>
            {texts.signIn.confirmSubmit}
          </Button>
        </>
      }
    >
      <Field label={byCode ? texts.signIn.confirmCode : texts.signIn.password} error={error}>
        {byCode ? (
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
    </Dialog>
  )
}
