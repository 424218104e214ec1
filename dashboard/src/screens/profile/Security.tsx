/**
 * The user's ways to sign in: passkeys, password, authenticator app, recovery codes.
 *
 * @module
 */
import { type FormEvent, useState } from "react"
import type { ValueOf } from "../../api/call.ts"
import { useApi, useChange } from "../../api/queries.ts"
import { useTexts } from "../../app/reader.tsx"
import { Button } from "../../parts/form/Button.tsx"
import { Field, Fields, FormActions, Input, PasswordInput } from "../../parts/form/Field.tsx"
import { ConfirmDialog, Dialog } from "../../parts/overlay/Dialog.tsx"
import { toast } from "../../parts/overlay/toasts.ts"
import { Banner, ErrorBanner } from "../../parts/page/Banner.tsx"
import { LoadingLines } from "../../parts/page/Empty.tsx"
import { Card, Section } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { Code } from "../../parts/show/Code.tsx"
import { CopyButton } from "../../parts/show/CopyButton.tsx"
import { Passkeys } from "./Passkeys.tsx"
import styles from "./Security.module.css"
import { useOtherSessions } from "./useOtherSessions.ts"

const Password = () => {
  const { profile: texts } = useTexts()
  const [password, setPassword] = useState("")
  const { error, isPending, mutate } = useChange("PATCH /me", { renews: ["GET /me/sessions"] })
  const change = (event: FormEvent) => {
    event.preventDefault()
    mutate(
      { body: { password } },
      {
        onSuccess: () => {
          setPassword("")
          toast(texts.passwordChanged)
        }
      }
    )
  }
  const hint = error?.details["hint"]
  const wrong = error?.fields["password"] ?? (typeof hint === "string" ? hint : undefined)
  return (
    <Section title={texts.password} text={texts.passwordText}>
      <form onSubmit={change} noValidate>
        <Fields>
          {error !== null && wrong === undefined && <ErrorBanner error={error} />}
          <Field label={texts.newPassword} error={wrong}>
            <PasswordInput
              value={password}
              autoComplete="new-password"
              onChange={(event) => setPassword(event.target.value)}
            />
          </Field>
          <FormActions>
            <Button type="submit" isBusy={isPending} disabled={password === ""}>
              {texts.changePassword}
            </Button>
          </FormActions>
        </Fields>
      </form>
    </Section>
  )
}

const routes = ["GET /me/totp", "GET /session", "GET /me/recovery-codes", "GET /me/sessions"] as const

/** The recovery codes, which are shown only once. */
const RecoveryCodes = ({
  codes,
  onClose
}: {
  readonly codes: ReadonlyArray<string>
  readonly onClose: () => void
}) => {
  const { common, profile: texts } = useTexts()
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={texts.recovery}
      text={texts.recoveryText}
      actions={
        <>
          <CopyButton value={codes.join("\n")} label={common.copy} />
          <Button tone="primary" onClick={onClose}>
            {common.done}
          </Button>
        </>
      }
    >
      <ul className={styles["codes"]}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

type Setup = ValueOf<"POST /me/totp">

const SetUp = ({
  onClose,
  onDone,
  setup
}: {
  readonly setup: Setup
  readonly onClose: () => void
  readonly onDone: (codes: ReadonlyArray<string>) => void
}) => {
  const { common, profile: texts } = useTexts()
  const [code, setCode] = useState("")
  const { error, isPending, mutate } = useChange("POST /me/totp", { renews: routes })
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={texts.codes}
      text={texts.scan}
      onSubmit={() =>
        mutate(
          { body: { code: code.trim() } },
          { onSuccess: ({ recoveryCodes }) => onDone(recoveryCodes ?? []) }
        )
      }
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" tone="primary" isBusy={isPending}>
            {texts.confirm}
          </Button>
        </>
      }
    >
      {setup.qr !== null && (
        <img
          className={styles["qr"]}
          src={`data:image/svg+xml,${encodeURIComponent(setup.qr)}`}
          alt={texts.scan}
          width="176"
          height="176"
        />
      )}
      {setup.secret !== null && (
        <div>
          <p className={styles["soft"]}>{texts.secret}</p>
          <Code label={texts.secret}>{setup.secret}</Code>
        </div>
      )}
      <Field label={texts.code} error={error?.message}>
        <Input
          inputMode="numeric"
          autoComplete="one-time-code"
          value={code}
          onChange={(event) => setCode(event.target.value)}
        />
      </Field>
    </Dialog>
  )
}

const Authenticator = () => {
  const { profile: texts } = useTexts()
  const [setup, setSetup] = useState<Setup | null>(null)
  const [codes, setCodes] = useState<ReadonlyArray<string> | null>(null)
  const [isAsking, setAsking] = useState<"off" | "renew" | null>(null)
  const { data, error, refetch } = useApi("GET /me/totp", {})
  const begin = useChange("POST /me/totp")
  const remove = useChange("DELETE /me/totp", { renews: routes })
  const renew = useChange("POST /me/recovery-codes", { renews: routes })
  const others = useOtherSessions(isAsking === "off")
  const close = () => setAsking(null)
  const isOn = data?.confirmedAt != null
  const failed = begin.error ?? remove.error ?? renew.error
  return (
    <Section title={texts.codes} text={isOn ? texts.codesOn : texts.codesOff}>
      {error !== null && <ErrorBanner error={error} onRetry={() => void refetch()} />}
      {failed !== null && <ErrorBanner error={failed} />}
      {data === undefined ? (
        error === null && <LoadingLines count={2} />
      ) : (
        <Card>
          <div className={styles["row"]}>
            <Badge tone={isOn ? "good" : "neutral"}>{isOn ? texts.on : texts.off}</Badge>
            {isOn ? (
              <>
                <span className={styles["soft"]}>{texts.recoveryLeft(data.recoveryCodesLeft)}</span>
                <Button isSmall onClick={() => setAsking("renew")}>
                  {texts.recoveryRenew}
                </Button>
                <Button isSmall tone="danger" onClick={() => setAsking("off")}>
                  {texts.turnOff}
                </Button>
              </>
            ) : (
              <>
                <span />
                <Button
                  isSmall
                  isBusy={begin.isPending}
                  onClick={() => begin.mutate({ body: {} }, { onSuccess: setSetup })}
                >
                  {texts.turnOn}
                </Button>
              </>
            )}
          </div>
          {isOn && data.recoveryCodesLeft < 3 && <Banner tone="warning">{texts.recoveryFew}</Banner>}
        </Card>
      )}
      {setup !== null && (
        <SetUp
          setup={setup}
          onClose={() => setSetup(null)}
          onDone={(made) => {
            setSetup(null)
            setCodes(made)
          }}
        />
      )}
      {codes !== null && <RecoveryCodes codes={codes} onClose={() => setCodes(null)} />}
      <ConfirmDialog
        isOpen={isAsking === "off"}
        onClose={close}
        isBusy={remove.isPending}
        title={texts.turnOff}
        text={others === undefined ? null : texts.turnOffText(others)}
        action={texts.turnOff}
        onConfirm={() =>
          remove.mutate(
            {},
            {
              onSuccess: () => toast(texts.turnedOff),
              onSettled: close
            }
          )
        }
      />
      <ConfirmDialog
        isOpen={isAsking === "renew"}
        onClose={close}
        isBusy={renew.isPending}
        title={texts.recoveryRenew}
        text={texts.recoveryRenewText(data?.recoveryCodesLeft ?? 0)}
        action={texts.recoveryRenew}
        onConfirm={() =>
          renew.mutate({}, { onSuccess: ({ recoveryCodes }) => setCodes(recoveryCodes), onSettled: close })
        }
      />
    </Section>
  )
}

/** The ways to sign in. */
export const Security = () => (
  <>
    <Passkeys />
    <Authenticator />
    <Password />
  </>
)
