/**
 * The page for a set-up link: the first start, an invitation, or a new password. The token is in the URL's fragment, which no
 * server sees, and is removed from the URL as soon as it is read.
 *
 * @module
 */
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { Link, useRouter } from "@tanstack/react-router"
import { type FormEvent, useState } from "react"
import { call, type ValueOf } from "../../api/call.ts"
import { ApiError } from "../../api/errors.ts"
import { keyOf, useChange } from "../../api/queries.ts"
import { hasPasskeys, makePasskey } from "../../app/passkeys.ts"
import { useTexts } from "../../app/reader.tsx"
import { Button } from "../../parts/form/Button.tsx"
import { Field, Input, PasswordInput } from "../../parts/form/Field.tsx"
import { Banner, ErrorBanner } from "../../parts/page/Banner.tsx"
import { LoadingLines } from "../../parts/page/Empty.tsx"
import { pathWithin } from "../../lib/within.ts"
import { Outside } from "./Outside.tsx"
import styles from "./Outside.module.css"

/** Removes the token from the URL, so that the browser's history does not keep it. */
const takeToken = (): string => {
  const token = location.hash.slice(1)
  if (token !== "") history.replaceState(history.state, "", location.pathname)
  return token
}

type SetUpLink = ValueOf<"POST /welcome">

const hintOf = ({ details }: ApiError): string | undefined =>
  typeof details["hint"] === "string" ? details["hint"] : undefined

const Form = ({ link, token }: { readonly link: SetUpLink; readonly token: string }) => {
  const texts = useTexts()
  const router = useRouter()
  const client = useQueryClient()
  const [email, setEmail] = useState("")
  const [name, setName] = useState("")
  const [password, setPassword] = useState("")
  const [code, setCode] = useState("")
  const [needsCode, setNeedsCode] = useState(false)
  // A user who is already signed in under the invited address only accepts the invitation.
  const { data: session } = useQuery({
    queryKey: keyOf("GET /session", {}),
    queryFn: ({ signal }) => call("GET /session", {}, { signal, asks: false }),
    enabled: link.kind === "Invitation",
    retry: false
  })
  const isSignedIn = session !== undefined && session.user.email === link.email
  const complete = useChange("POST /welcome/complete")
  const options = useChange("POST /welcome/passkey-options")
  const [isMaking, setMaking] = useState(false)
  const given = {
    token,
    ...(link.email === null ? { email: email.trim() } : {}),
    ...(link.name === null ? { name: name.trim() } : {})
  }
  const onSuccess = () => {
    client.clear()
    router.history.replace(pathWithin("/"))
  }
  const send = (event: FormEvent) => {
    event.preventDefault()
    options.reset()
    const body = isSignedIn ? { token } : { ...given, password, ...(needsCode ? { code: code.trim() } : {}) }
    complete.mutate(
      { body },
      {
        onSuccess: ({ needs }) => {
          // An invitation is accepted only once the user is signed in.
          if (link.kind === "Invitation" && needs === "Code") setNeedsCode(true)
          else onSuccess()
        }
      }
    )
  }
  const withPasskey = async () => {
    setMaking(true)
    complete.reset()
    try {
      const passkey = await makePasskey(await options.mutateAsync({ body: given }))
      if (passkey !== null) await complete.mutateAsync({ body: { ...given, passkey } })
      if (passkey !== null) onSuccess()
    } catch (failed) {
      // The form shows the service's errors.
      if (!(failed instanceof ApiError)) throw failed
    } finally {
      setMaking(false)
    }
  }
  const error = complete.error ?? options.error
  const fields = error?.fields ?? {}
  const passwordError =
    error?.code === "users.password_weak" ? (hintOf(error) ?? error.message) : fields["password"]
  const isElsewhere = error !== null && passwordError === undefined && Object.keys(fields).length === 0
  return (
    <form className={styles["form"]} onSubmit={send} noValidate>
      {isElsewhere && <ErrorBanner error={error} />}
      {link.email === null ? (
        <Field label={texts.signIn.email} error={fields["email"]}>
          <Input
            type="email"
            name="email"
            autoComplete="username"
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        </Field>
      ) : (
        <Field label={texts.signIn.email}>
          <Input type="email" name="email" autoComplete="username" value={link.email} readOnly />
        </Field>
      )}
      {link.name === null && !isSignedIn && (
        <Field label={texts.welcome.name} error={fields["name"]}>
          <Input
            name="name"
            autoComplete="name"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
      )}
      {!isSignedIn && (
        <Field label={texts.welcome.password} hint={texts.welcome.passwordHint} error={passwordError}>
          <PasswordInput
            name="password"
            autoComplete="new-password"
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        </Field>
      )}
      {needsCode && (
        <Field label={texts.signIn.code} hint={texts.signIn.codeHint}>
          <Input
            name="code"
            inputMode="numeric"
            autoComplete="one-time-code"
            value={code}
            onChange={(event) => setCode(event.target.value)}
          />
        </Field>
      )}
      <Button type="submit" tone="primary" isBusy={complete.isPending && !isMaking}>
        {texts.welcome.submit}
      </Button>
      {hasPasskeys() && !isSignedIn && (
        <Button icon="key" isBusy={isMaking} onClick={() => void withPasskey()}>
          {texts.welcome.withPasskey}
        </Button>
      )}
    </form>
  )
}

/** The page. */
export const Welcome = () => {
  const texts = useTexts()
  const [token] = useState(takeToken)
  const { data, error, refetch } = useQuery<SetUpLink, ApiError>({
    // Developer tools show cache keys, so the key must not contain the token.
    queryKey: ["welcome"],
    queryFn: ({ signal }) => call("POST /welcome", { body: { token } }, { signal, asks: false }),
    enabled: token !== "",
    gcTime: 0
  })
  const foot = (
    <p className={styles["foot"]}>
      <Link to="/sign-in">{texts.welcome.toSignIn}</Link>
    </p>
  )
  if (token === "" || error?.status === 410) {
    return (
      <Outside title={texts.welcome.invalid}>
        <Banner tone="warning">{token === "" ? texts.welcome.missing : texts.welcome.invalidText}</Banner>
        {foot}
      </Outside>
    )
  }
  if (data === undefined) {
    return (
      <Outside title={texts.welcome.title}>
        {error === null ? (
          <LoadingLines count={3} />
        ) : (
          <ErrorBanner error={error} onRetry={() => void refetch()} />
        )}
      </Outside>
    )
  }
  const text =
    data.kind === "Invitation"
      ? texts.welcome.invited(data.company?.name ?? null)
      : texts.welcome.texts[data.kind]
  return (
    <Outside title={texts.welcome.titles[data.kind]} text={text}>
      <Form link={data} token={token} />
    </Outside>
  )
}
