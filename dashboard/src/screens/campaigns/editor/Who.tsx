/**
 * The step for who gets a campaign: its segments, with the number of people they select and of those who will be skipped.
 *
 * @module
 */
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useEffect, useId, useState } from "react"
import { call, type ValueOf } from "../../../api/call.ts"
import type { ApiError } from "../../../api/errors.ts"
import { useExtra } from "../../../api/queries.ts"
import { useFormat } from "../../../app/reader.tsx"
import { IconButton } from "../../../parts/form/Button.tsx"
import { Field, Fields, Input, Select } from "../../../parts/form/Field.tsx"
import { ErrorBanner } from "../../../parts/page/Banner.tsx"
import { Columns, Entry, Figures, Nothing, Rows } from "../../../parts/page/Columns.tsx"
import { LoadingLines } from "../../../parts/page/Empty.tsx"
import { Card, Section } from "../../../parts/page/Page.tsx"
import { useCampaignTexts } from "../../../texts/campaigns/useCampaignTexts.ts"
import styles from "./Editor.module.css"
import type { PartProps } from "./part.ts"

const audienceRoute = "POST /accounts/:accountId/campaigns/audience"

/** The number of people in an audience, and of those skipped, by reason. */
type Estimate = ValueOf<typeof audienceRoute>

/** How long after the last change the people are counted, in milliseconds. */
const restMillis = 300

/** The most segments that the list offers. */
const maxSegments = 200

const Picker = ({
  chosen,
  empty,
  error,
  isReadOnly,
  label,
  onChange,
  segments
}: {
  readonly label: string
  readonly empty: string
  readonly error: string | undefined
  readonly isReadOnly: boolean
  readonly chosen: ReadonlyArray<string>
  readonly onChange: (chosen: ReadonlyArray<string>) => void
  readonly segments: ReadonlyArray<{ readonly id: string; readonly name: string; readonly count: number }>
}) => {
  const texts = useCampaignTexts()
  const format = useFormat()
  const left = segments.filter(({ id }) => !chosen.includes(id))
  return (
    <Section title={label}>
      <Card isFlush>
        {chosen.length === 0 && <Nothing>{empty}</Nothing>}
        <Rows>
          {chosen.map((id) => {
            const segment = segments.find((one) => one.id === id)
            const name = segment?.name ?? texts.who.gone
            return (
              <Entry
                key={id}
                end={
                  <>
                    {segment !== undefined && format.number(segment.count)}
                    {!isReadOnly && (
                      <IconButton
                        isSmall
                        icon="close"
                        label={texts.who.removeOne(name)}
                        onClick={() => onChange(chosen.filter((one) => one !== id))}
                      />
                    )}
                  </>
                }
              >
                <bdi>{name}</bdi>
              </Entry>
            )
          })}
        </Rows>
      </Card>
      {!isReadOnly && left.length > 0 && (
        <Fields>
          <Field label={texts.who.add} error={error}>
            <Select
              value=""
              onChange={(event) => {
                if (event.target.value !== "") onChange([...chosen, event.target.value])
              }}
              options={[
                { value: "", label: texts.who.choose },
                ...left.map(({ count, id, name }) => ({
                  value: id,
                  label: `${name} (${format.number(count)})`
                }))
              ]}
            />
          </Field>
        </Fields>
      )}
    </Section>
  )
}

/** The people selected by the segments, counted a moment after the last change. */
export const useAudience = (
  accountId: string,
  audience: { readonly segments: ReadonlyArray<string>; readonly exclude: ReadonlyArray<string> }
) => {
  const wanted = JSON.stringify([audience.segments, audience.exclude])
  const [asked, setAsked] = useState(wanted)
  useEffect(() => {
    const timer = setTimeout(() => setAsked(wanted), restMillis)
    return () => clearTimeout(timer)
  }, [wanted])
  const [segments, exclude] = JSON.parse(asked) as readonly [ReadonlyArray<string>, ReadonlyArray<string>]
  const query = useQuery<Estimate, ApiError>({
    queryKey: [audienceRoute, accountId, asked],
    queryFn: ({ signal }) =>
      call(audienceRoute, { params: { accountId }, body: { audience: { segments, exclude } } }, { signal }),
    enabled: segments.length > 0,
    placeholderData: keepPreviousData
  })
  return {
    ...query,
    data: audience.segments.length === 0 ? undefined : query.data,
    isAsked: asked === wanted
  }
}

const Audience = ({
  accountId,
  audience
}: {
  readonly accountId: string
  readonly audience: { readonly segments: ReadonlyArray<string>; readonly exclude: ReadonlyArray<string> }
}) => {
  const texts = useCampaignTexts()
  const format = useFormat()
  const title = useId()
  const { data, error, isAsked, isFetching, refetch } = useAudience(accountId, audience)
  const reasons = Object.entries(data?.by ?? {})
  return (
    <Section title={texts.who.estimate} text={texts.who.estimateText}>
      <div role="status" aria-labelledby={title} aria-busy={isFetching || !isAsked || undefined}>
        <span id={title} hidden>
          {texts.who.estimate}
        </span>
        {error !== null && <ErrorBanner error={error} onRetry={() => void refetch()} />}
        {audience.segments.length === 0 ? (
          <p className={styles["soft"]}>{texts.who.pick}</p>
        ) : data === undefined ? (
          error === null && <LoadingLines count={2} />
        ) : (
          <div className={styles["estimate"]}>
            <Figures
              figures={[
                { name: texts.who.chosen, value: format.number(data.count) },
                { name: texts.who.reachable, value: format.number(data.reachable) }
              ]}
            />
            {reasons.length > 0 && (
              <Card isFlush>
                <Rows>
                  {reasons.map(([reason, count]) => (
                    <Entry key={reason} end={format.number(count)}>
                      {texts.reasons[reason] ?? reason}
                    </Entry>
                  ))}
                </Rows>
              </Card>
            )}
            {data.count === 0 && <p className={styles["soft"]}>{texts.who.nobody}</p>}
          </div>
        )}
      </div>
      {data !== undefined && data.sample.length > 0 && (
        <Section title={texts.who.sample}>
          <Card isFlush>
            <Rows>
              {data.sample.map(({ email, firstName, id, lastName }) => (
                <Entry key={id}>
                  <bdi>{email ?? [firstName, lastName].filter((part) => part != null).join(" ")}</bdi>
                </Entry>
              ))}
            </Rows>
          </Card>
        </Section>
      )}
    </Section>
  )
}

/** The step of the editor. */
export const Who = ({ accountId, draft, errorOf, isReadOnly, set }: PartProps) => {
  const texts = useCampaignTexts()
  const params = { accountId }
  const segments =
    useExtra("GET /accounts/:accountId/segments", { params, query: { limit: maxSegments } })?.items ?? []
  const topics = useExtra("GET /accounts/:accountId/topics", { params, query: { limit: 100 } })?.items ?? []
  return (
    <Columns aside={<Audience accountId={accountId} audience={draft} />}>
      <Picker
        label={texts.who.segments}
        empty={texts.who.none}
        error={errorOf("audience.segments", "audience")}
        isReadOnly={isReadOnly}
        chosen={draft.segments}
        segments={segments}
        onChange={(chosen) => set({ segments: chosen })}
      />
      <Picker
        label={texts.who.exclude}
        empty={texts.who.noExclude}
        error={errorOf("audience.exclude")}
        isReadOnly={isReadOnly}
        chosen={draft.exclude}
        segments={segments}
        onChange={(chosen) => set({ exclude: chosen })}
      />
      <Fields>
        <Field label={texts.who.topic} hint={texts.who.topicHint} error={errorOf("topic")}>
          <Select
            value={draft.topic}
            disabled={isReadOnly}
            onChange={(event) => set({ topic: event.target.value })}
            options={[
              { value: "", label: texts.who.noTopic },
              ...topics
                .filter(({ isArchived, key }) => !isArchived || key === draft.topic)
                .map(({ key, name }) => ({ value: key, label: name }))
            ]}
          />
        </Field>
        <Field
          label={texts.who.holdout}
          hint={texts.who.holdoutHint}
          isOptional
          error={errorOf("holdoutPercent")}
        >
          <Input
            inputMode="numeric"
            value={draft.holdoutPercent}
            disabled={isReadOnly}
            onChange={(event) => set({ holdoutPercent: event.target.value })}
          />
        </Field>
      </Fields>
    </Columns>
  )
}
