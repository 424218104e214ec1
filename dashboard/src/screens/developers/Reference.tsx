/**
 * The API reference. Calls can be made from the page with an API key, which is kept only in the state of the screen.
 *
 * @module
 */
import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import { ApiError } from "../../api/errors.ts"
import { AreaTabs } from "../../app/AreaTabs.tsx"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { matching } from "../../lib/match.ts"
import { addressOf, type Operation, operationsOf } from "../../lib/reference.ts"
import { toneOfStatus } from "../../lib/statusTone.ts"
import { Button, ButtonAnchor } from "../../parts/form/Button.tsx"
import { Field, Fields, Input, Select, TextArea } from "../../parts/form/Field.tsx"
import { Banner } from "../../parts/page/Banner.tsx"
import { Row } from "../../parts/page/Columns.tsx"
import { Loaded } from "../../parts/page/Loaded.tsx"
import { Page, Section } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { Code } from "../../parts/show/Code.tsx"
import { useRecordTexts } from "../../texts/records/useRecordTexts.ts"
import styles from "./Reference.module.css"

const route = getRouteApi("/shell/a/$accountId/developers/reference")

/** The OpenAPI document of the public API, and the page that shows it. */
const documentUrl = "/openapi/public-v1.json"
const pageUrl = "/docs/reference"

/** The path below which calls take an API key. */
const base = "/api/v1/"

/** The timeout of a call in milliseconds, and how many characters of a response are shown. */
const callMillis = 30_000
const shownCharacters = 100_000

interface Answer {
  readonly status: number
  readonly millis: number
  readonly text: string
}

const idOf = ({ method, path }: Operation): string => `${method} ${path}`

const prettyOf = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The form of a call, and the response. */
const Form = ({ operation, token }: { readonly operation: Operation; readonly token: string }) => {
  const { reference: texts } = useRecordTexts()
  const format = useFormat()
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const [body, setBody] = useState(operation.body ?? "")
  const [isTried, setTried] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [answer, setAnswer] = useState<Answer | "failed" | null>(null)
  const isWrong = operation.body !== null && !isJson(body)
  const send = async () => {
    setTried(true)
    if (token === "" || isWrong) return
    setBusy(true)
    const began = performance.now()
    try {
      const response = await fetch(addressOf(operation, values), {
        method: operation.method,
        // The call must be authenticated by the key alone, not by the session.
        credentials: "omit",
        redirect: "error",
        signal: AbortSignal.timeout(callMillis),
        headers: {
          authorization: `Bearer ${token}`,
          ...(operation.body === null ? {} : { "content-type": "application/json" })
        },
        ...(operation.body === null ? {} : { body })
      })
      const text = await response.text()
      setAnswer({ status: response.status, millis: performance.now() - began, text: prettyOf(text) })
    } catch {
      setAnswer("failed")
    } finally {
      setBusy(false)
    }
  }
  return (
    <form
      className={styles["form"]}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      {operation.summary !== "" && <p className={styles["soft"]}>{operation.summary}</p>}
      <Fields>
        {operation.parameters.map(({ description, isRequired, name }) => (
          <Field
            key={name}
            label={<code>{name}</code>}
            isOptional={!isRequired}
            {...(description === "" ? {} : { hint: description })}
          >
            <Input
              value={values[name] ?? ""}
              dir="ltr"
              autoCapitalize="off"
              autoComplete="off"
              onChange={(event) => setValues({ ...values, [name]: event.target.value })}
            />
          </Field>
        ))}
        {operation.body !== null && (
          <Field label={texts.body} error={isTried && isWrong ? texts.noJson : undefined}>
            <TextArea
              className={styles["body"]}
              rows={12}
              spellCheck={false}
              value={body}
              onChange={(event) => setBody(event.target.value)}
            />
          </Field>
        )}
        {isTried && token === "" && <Banner tone="bad">{texts.missingKey}</Banner>}
        <div>
          <Button type="submit" tone="primary" isBusy={isBusy}>
            {texts.send}
          </Button>
        </div>
      </Fields>
      <div role="status">
        {answer === "failed" && <Banner tone="bad">{texts.failed}</Banner>}
        {answer !== null && answer !== "failed" && (
          <Section
            title={texts.answer}
            actions={
              <Row>
                <Badge tone={toneOfStatus(answer.status)}>{answer.status}</Badge>
                {texts.took(format.number(Math.round(answer.millis)))}
              </Row>
            }
          >
            <Code label={texts.answer}>{answer.text.slice(0, shownCharacters)}</Code>
          </Section>
        )}
      </div>
    </form>
  )
}

/** The screen. */
export const Reference = () => {
  const { developers } = useTexts()
  const { reference: texts } = useRecordTexts()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const [token, setToken] = useState("")
  const [typed, setTyped] = useState("")
  const query = useQuery<ReadonlyArray<Operation>, ApiError>({
    queryKey: [documentUrl],
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      const failed = (status: number) =>
        new ApiError({ status, code: status === 0 ? "offline" : "unreadable", message: texts.failed })
      const response = await fetch(documentUrl, { signal }).catch(() => null)
      if (response === null || !response.ok) throw failed(response?.status ?? 0)
      return operationsOf(await response.json(), base)
    }
  })
  return (
    <Page isList title={developers.title} text={texts.text}>
      <AreaTabs area="developers" />
      {/* Scrollable content must be focusable for the keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className={styles["scrolled"]} tabIndex={0} role="group" aria-label={texts.tab}>
        <div className={styles["content"]}>
          <Loaded query={query}>
            {(operations) => {
              const found = matching(operations, typed, ({ method, path, summary }) =>
                [method, path, summary].join(" ")
              )
              const shown = found.find((one) => idOf(one) === search.call) ?? found[0]
              return (
                <>
                  <Fields>
                    <Field label={texts.key} hint={texts.keyHint}>
                      <Input
                        type="password"
                        value={token}
                        autoComplete="off"
                        onChange={(event) => setToken(event.target.value.trim())}
                      />
                    </Field>
                    <Field label={texts.search} isOptional>
                      <Input type="search" value={typed} onChange={(event) => setTyped(event.target.value)} />
                    </Field>
                    <Field label={texts.call}>
                      <Select
                        value={shown === undefined ? "" : idOf(shown)}
                        onChange={(event) =>
                          void navigate({ search: { call: event.target.value }, replace: true })
                        }
                        options={
                          shown === undefined
                            ? [{ value: "", label: texts.nothing }]
                            : found.map((one) => ({ value: idOf(one), label: idOf(one) }))
                        }
                      />
                    </Field>
                  </Fields>
                  {shown !== undefined && <Form key={idOf(shown)} operation={shown} token={token} />}
                  <div>
                    <ButtonAnchor isSmall icon="external" href={pageUrl} target="_blank">
                      {texts.document}
                    </ButtonAnchor>
                  </div>
                </>
              )
            }}
          </Loaded>
        </div>
      </div>
    </Page>
  )
}
