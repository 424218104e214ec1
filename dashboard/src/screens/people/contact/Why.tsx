/**
 * Explains why a person did or did not get an email, a flow's emails or a campaign.
 *
 * @module
 */
import { useState } from "react"
import type { ValueOf } from "../../../api/call.ts"
import { useApi, useExtra } from "../../../api/queries.ts"
import { usePanel } from "../../../app/panel.ts"
import { useTexts } from "../../../app/reader.tsx"
import { useAccount } from "../../../app/session.ts"
import { Button } from "../../../parts/form/Button.tsx"
import { Field, Input, Select } from "../../../parts/form/Field.tsx"
import { Dialog } from "../../../parts/overlay/Dialog.tsx"
import { Entry, Rows } from "../../../parts/page/Columns.tsx"
import { Loaded } from "../../../parts/page/Loaded.tsx"
import { Card, Section } from "../../../parts/page/Page.tsx"
import { Badge, type Tone } from "../../../parts/show/Badge.tsx"
import { RelativeTime } from "../../../parts/show/RelativeTime.tsx"
import { Said } from "../../../texts/said/Said.tsx"

type Person = ValueOf<"GET /accounts/:accountId/contacts/:id">

const verdictTones: Readonly<Record<string, Tone>> = {
  Received: "good",
  OnItsWay: "accent",
  NotSent: "warning",
  NotReceived: "bad"
}

const kinds = ["flow", "campaign", "email"] as const
type Kind = (typeof kinds)[number]

/** The value of the URL parameter before a question was asked. */
const askOpen = "open"

/** The subject of the question, by API parameter. */
type About = Readonly<Partial<Record<Kind, string>>>

const Answer = ({
  about,
  accountId,
  contactId
}: {
  readonly about: About
  readonly accountId: string
  readonly contactId: string
}) => {
  const { people: texts } = useTexts()
  const query = useApi("GET /accounts/:accountId/explain", {
    params: { accountId },
    query: { contact: contactId, ...about }
  })
  return (
    <Loaded query={query}>
      {({ because, next, verdict }) => (
        <>
          <div role="status">
            <Badge tone={verdictTones[verdict] ?? "neutral"}>{texts.verdicts[verdict]}</Badge>
          </div>
          <Card isFlush>
            <Rows>
              {because.map(({ at, code, sentence }) => (
                <Entry
                  key={`${code} ${sentence}`}
                  text={<code>{code}</code>}
                  end={at !== null && <RelativeTime at={at} />}
                >
                  <Said text={sentence} />
                </Entry>
              ))}
            </Rows>
          </Card>
          {next.length > 0 && (
            <Section title={texts.whyNext}>
              <Card isFlush>
                <Rows>
                  {next.map(({ sentence }) => (
                    <Entry key={sentence}>
                      <Said text={sentence} />
                    </Entry>
                  ))}
                </Rows>
              </Card>
            </Section>
          )}
        </>
      )}
    </Loaded>
  )
}

const WhyDialog = ({
  accountId,
  onClose,
  person
}: {
  readonly accountId: string
  readonly person: Person
  readonly onClose: () => void
}) => {
  const { common, people: texts } = useTexts()
  const { can } = useAccount()
  const allowed = kinds.filter((one) => can(`${one}s:read`))
  const mayEmails = can("emails:read")
  const [asked, askAbout] = usePanel("why")
  const [askedKind = "", askedId] = (asked ?? "").split(":")
  const about = askedId === undefined ? null : { [askedKind]: askedId }
  const [kind, setKind] = useState<Kind>(allowed.find((one) => one === askedKind) ?? allowed[0] ?? "flow")
  const [chosen, setChosen] = useState(askedId ?? "")
  const flows =
    useExtra("GET /accounts/:accountId/flows", { params: { accountId }, query: { limit: 100 } })?.items ?? []
  const emails =
    useExtra(
      "GET /accounts/:accountId/emails",
      { params: { accountId }, query: { limit: 50, to: [person.email ?? ""] } },
      { enabled: mayEmails && person.email !== null }
    )?.items ?? []
  const campaigns =
    useExtra(
      "GET /accounts/:accountId/campaigns",
      { params: { accountId }, query: { limit: 100 } },
      { enabled: can("campaigns:read") }
    )?.items ?? []
  const options =
    kind !== "email"
      ? (kind === "flow" ? flows : campaigns).map(({ id, name }) => ({ value: id, label: name }))
      : emails.map(({ id, subject }) => ({ value: id, label: subject === "" ? texts.noSubject : subject }))
  const names = { flow: texts.whyFlow, campaign: texts.whyCampaign, email: texts.whyEmail }
  const ask = () => {
    const id = chosen.trim() === "" ? options[0]?.value : chosen.trim()
    if (id !== undefined) askAbout(`${kind}:${id}`)
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={ask}
      title={texts.why}
      text={texts.whyText}
      actions={
        <>
          <Button onClick={onClose}>{common.close}</Button>
          <Button type="submit" tone="primary" disabled={options.length === 0 && chosen.trim() === ""}>
            {texts.whyAsk}
          </Button>
        </>
      }
    >
      {allowed.length > 1 && (
        <Field label={texts.whyPick}>
          <Select
            value={kind}
            onChange={(event) => {
              setKind(allowed.find((one) => one === event.target.value) ?? "flow")
              setChosen("")
              askAbout(askOpen)
            }}
            options={allowed.map((value) => ({ value, label: names[value] }))}
          />
        </Field>
      )}
      <Field label={names[kind]}>
        {kind === "email" && options.length === 0 ? (
          <Input value={chosen} placeholder="id" onChange={(event) => setChosen(event.target.value)} />
        ) : (
          <Select value={chosen} options={options} onChange={(event) => setChosen(event.target.value)} />
        )}
      </Field>
      {about !== null && <Answer about={about} accountId={accountId} contactId={person.id} />}
    </Dialog>
  )
}

/** The button that opens the dialog. */
export const Why = ({ accountId, person }: { readonly accountId: string; readonly person: Person }) => {
  const { people: texts } = useTexts()
  const [asked, ask] = usePanel("why")
  return (
    <div>
      <Button icon="info" onClick={() => ask(askOpen)}>
        {texts.why}
      </Button>
      {asked !== null && <WhyDialog accountId={accountId} person={person} onClose={() => ask(null)} />}
    </div>
  )
}
