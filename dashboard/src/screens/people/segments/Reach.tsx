/**
 * The people that the rules currently select: how many, how many of them would get email and why the others would not, and
 * examples. A count is cancelled when newer rules replace it.
 *
 * @module
 */
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { call, type ValueOf } from "../../../api/call.ts"
import type { ApiError } from "../../../api/errors.ts"
import { useExtra } from "../../../api/queries.ts"
import { useFormat, useTexts } from "../../../app/reader.tsx"
import { useAccount } from "../../../app/session.ts"
import type { Definition } from "../../../lib/segment.ts"
import { Field, Select } from "../../../parts/form/Field.tsx"
import { ErrorBanner } from "../../../parts/page/Banner.tsx"
import { Entry, Figures, Nothing, Rows } from "../../../parts/page/Columns.tsx"
import { Card, Section } from "../../../parts/page/Page.tsx"
import { useEditorTexts } from "../../../texts/editors/useEditorTexts.ts"
import { useDebounced } from "../../editors/useDebounced.ts"
import { nameOf } from "../consent.ts"
import styles from "./Segment.module.css"

/** How long after the last change the rules are counted, in milliseconds. */
const restMillis = 250

const previewRoute = "POST /accounts/:accountId/segments/preview"
const reachRoute = "POST /accounts/:accountId/segments/reach"

const none: Readonly<Record<string, string>> = {}

type Preview = ValueOf<typeof previewRoute>
type Reached = ValueOf<typeof reachRoute>

/** Counts a definition. The previous result stays until the next one is available. */
export const useCounts = (definition: Definition, topic: string, isComplete: boolean) => {
  const { id: accountId } = useAccount()
  const written = useDebounced(JSON.stringify(definition), restMillis)
  const params = { accountId }
  const options = { enabled: isComplete, retry: false, staleTime: 0 } as const
  const preview = useQuery<Preview, ApiError>({
    ...options,
    queryKey: [previewRoute, accountId, written],
    queryFn: ({ signal }) =>
      call(previewRoute, { params, body: { definition: JSON.parse(written) as Definition } }, { signal }),
    placeholderData: (before) => before
  })
  const reach = useQuery<Reached, ApiError>({
    ...options,
    queryKey: [reachRoute, accountId, written, topic],
    queryFn: ({ signal }) => {
      const body = { definition: JSON.parse(written) as Definition, ...(topic === "" ? {} : { topic }) }
      return call(reachRoute, { params, body }, { signal })
    },
    placeholderData: (before) => before
  })
  return { preview, reach }
}

const Rest = ({ reach }: { readonly reach: Reached }) => {
  const { people } = useTexts()
  const { segment: texts } = useEditorTexts()
  const format = useFormat()
  return (
    <Card isFlush>
      {reach.rest.length === 0 ? (
        <Nothing>{texts.everyoneReached}</Nothing>
      ) : (
        <Rows>
          {reach.rest.map(({ cause, consentStatus, count }) => (
            <Entry
              key={`${cause} ${consentStatus}`}
              end={format.number(count)}
              text={consentStatus === null ? null : (people.consents[consentStatus] ?? consentStatus)}
            >
              {texts.causes[cause] ?? cause}
            </Entry>
          ))}
        </Rows>
      )}
    </Card>
  )
}

const Sample = ({ preview }: { readonly preview: Preview }) => {
  const { segment: texts } = useEditorTexts()
  const { can, id: accountId } = useAccount()
  if (preview.sample.length === 0)
    return (
      <Card isFlush>
        <Nothing>{can("contacts:read") ? texts.noSample : texts.noSampleRight}</Nothing>
      </Card>
    )
  return (
    <Card isFlush>
      <Rows>
        {preview.sample.map((contact) => (
          <Entry key={contact.id} text={<bdi>{contact.email ?? texts.noName}</bdi>}>
            <Link to="/a/$accountId/people/contacts/$contactId" params={{ accountId, contactId: contact.id }}>
              <bdi>{nameOf(contact)}</bdi>
            </Link>
          </Entry>
        ))}
      </Rows>
    </Card>
  )
}

/** The counts. `missing` are the numbers of the rules that lack a value. */
export const Reach = ({
  definition,
  missing,
  onFields
}: {
  readonly definition: Definition
  readonly missing: ReadonlyArray<number>
  /** Receives the service's errors about the rules, by field. */
  readonly onFields: (fields: Readonly<Record<string, string>>) => void
}) => {
  const { segment: texts } = useEditorTexts()
  const format = useFormat()
  const { id: accountId } = useAccount()
  const [topic, setTopic] = useState("")
  const topics = useExtra("GET /accounts/:accountId/topics", { params: { accountId }, query: { limit: 200 } })
  const { preview, reach } = useCounts(definition, topic, missing.length === 0)
  const fields = preview.error?.fields ?? none
  // The rows show their errors themselves.
  useEffect(() => onFields(fields), [fields, onFields])
  const isCounting = preview.isFetching || reach.isFetching
  const hasFields = Object.keys(fields).length > 0
  const state =
    missing.length > 0
      ? texts.incomplete(format.list(missing.map((number) => format.number(number))))
      : isCounting
        ? texts.counting
        : ""
  return (
    <>
      <Section title={texts.counted}>
        <p className={styles["status"]} role="status">
          {state}
        </p>
        {preview.error !== null && !hasFields && (
          <ErrorBanner error={preview.error} onRetry={() => void preview.refetch()} />
        )}
        <div aria-busy={isCounting || undefined}>
          <Figures
            figures={[
              {
                name: texts.selected,
                value:
                  preview.data === undefined || missing.length > 0 ? "–" : format.number(preview.data.count)
              },
              {
                name: texts.reached,
                value:
                  reach.data === undefined || missing.length > 0 ? "–" : format.number(reach.data.reached)
              }
            ]}
          />
        </div>
        {(topics?.items.length ?? 0) > 0 && (
          <Field label={texts.forTopic}>
            <Select
              value={topic}
              onChange={(event) => setTopic(event.target.value)}
              options={[
                { value: "", label: texts.anyTopic },
                ...topics!.items
                  .filter(({ isArchived }) => !isArchived)
                  .map(({ key, name }) => ({ value: key, label: name }))
              ]}
            />
          </Field>
        )}
      </Section>
      {reach.data !== undefined && missing.length === 0 && (
        <Section title={texts.rest}>
          <Rest reach={reach.data} />
        </Section>
      )}
      {preview.data !== undefined && missing.length === 0 && (
        <Section title={texts.sample}>
          <Sample preview={preview.data} />
        </Section>
      )}
    </>
  )
}
