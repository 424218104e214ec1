/**
 * Explains the route of mail to an address and what holds it, and how a server's reply is classified. Neither changes anything.
 *
 * @module
 */
import { useState } from "react"
import { useApi, useChange } from "../../../api/queries.ts"
import { useFormat, useTexts } from "../../../app/reader.tsx"
import { Button } from "../../../parts/form/Button.tsx"
import { Field, Input, Select, TextArea } from "../../../parts/form/Field.tsx"
import { Dialog } from "../../../parts/overlay/Dialog.tsx"
import { ErrorBanner } from "../../../parts/page/Banner.tsx"
import { Entry, Nothing, Rows } from "../../../parts/page/Columns.tsx"
import { Loaded } from "../../../parts/page/Loaded.tsx"
import { Card, Facts } from "../../../parts/page/Page.tsx"
import { RelativeTime } from "../../../parts/show/RelativeTime.tsx"
import { useDeliveryTexts } from "../../../texts/delivery/useDeliveryTexts.ts"
import { useSourceTexts } from "../../../texts/sources/useSourceTexts.ts"
import { useProviderName } from "./lanes.ts"

/** Names, one per line. */
const Lines = ({ of }: { readonly of: ReadonlyArray<string> }) =>
  of.map((line) => (
    <div key={line}>
      <bdi>{line}</bdi>
    </div>
  ))

const Explained = ({ to }: { readonly to: string }) => {
  const { held: texts } = useDeliveryTexts()
  const laneName = useProviderName()
  const { sources: states } = useSourceTexts()
  const format = useFormat()
  const query = useApi("GET /shaping/explain", { query: { to } })
  return (
    <Loaded query={query}>
      {({ lane, lastReplies: [last], mx, next, notices, provider, shared, sources, tls, width }) => (
        <>
          <Facts
            facts={[
              [
                texts.leadsTo,
                provider === null && lane === null ? texts.noLane : laneName(provider ?? lane ?? "")
              ],
              mx.length === 0 ? null : [texts.servers, <Lines key="mx" of={mx.map(({ host }) => host)} />],
              [texts.connections, texts.inUse(format.number(shared?.inUse ?? 0), format.number(width))],
              tls === null ? null : [texts.encryption, texts.encryptions[tls.kind]],
              [
                texts.from,
                <Lines
                  key="from"
                  of={
                    sources.length === 0
                      ? [texts.system]
                      : sources.map(({ address, state }) => `${address} (${states.states[state]})`)
                  }
                />
              ],
              last === undefined ? null : [texts.last, <bdi key="last">{last.words}</bdi>],
              next === null ? null : [texts.next, <RelativeTime key="next" at={next} />]
            ]}
          />
          <Card isFlush>
            {notices.length === 0 && <Nothing>{texts.notHeld}</Nothing>}
            <Rows>
              {notices.map(({ id, lane: held, remedy, words }) => (
                <Entry key={id} text={remedy}>
                  <strong>{laneName(held)}</strong> <bdi>{words}</bdi>
                </Entry>
              ))}
            </Rows>
          </Card>
        </>
      )}
    </Loaded>
  )
}

/** The dialog that explains an address. */
export const ExplainDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const { common } = useTexts()
  const { held: texts } = useDeliveryTexts()
  const [to, setTo] = useState("")
  const [asked, setAsked] = useState<string | null>(null)
  return (
    <Dialog
      isOpen
      isWide
      onClose={onClose}
      onSubmit={() => setAsked(to.trim() === "" ? null : to.trim())}
      title={texts.explain}
      text={texts.explainText}
      actions={
        <>
          <Button onClick={onClose}>{common.close}</Button>
          <Button type="submit" tone="primary">
            {texts.ask}
          </Button>
        </>
      }
    >
      <Field label={texts.to}>
        <Input
          value={to}
          dir="ltr"
          autoCapitalize="off"
          autoComplete="off"
          onChange={(event) => setTo(event.target.value)}
        />
      </Field>
      {asked !== null && <Explained to={asked} />}
    </Dialog>
  )
}

const stages = ["Connect", "Ehlo", "Mail", "Rcpt", "Data", "Message"] as const

/** The dialog that classifies a reply. */
export const ClassifyDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const { common } = useTexts()
  const { held: texts } = useDeliveryTexts()
  const [reply, setReply] = useState("")
  const [stage, setStage] = useState<(typeof stages)[number]>("Rcpt")
  const { data, error, isPending, mutate } = useChange("POST /shaping/classify")
  return (
    <Dialog
      isOpen
      isWide
      onClose={onClose}
      onSubmit={() => mutate({ body: { reply: reply.trim(), stage } })}
      title={texts.classify}
      text={texts.classifyText}
      actions={
        <>
          <Button onClick={onClose}>{common.close}</Button>
          <Button type="submit" tone="primary" isBusy={isPending}>
            {texts.ask}
          </Button>
        </>
      }
    >
      {error !== null && error.fields["reply"] === undefined && <ErrorBanner error={error} />}
      <Field label={texts.reply} hint={texts.replyHint} error={error?.fields["reply"]}>
        <TextArea value={reply} spellCheck={false} onChange={(event) => setReply(event.target.value)} />
      </Field>
      <Field label={texts.stage}>
        <Select
          value={stage}
          onChange={(event) => setStage(event.target.value as typeof stage)}
          options={stages.map((value) => ({ value, label: texts.stages[value] ?? value }))}
        />
      </Field>
      {data !== undefined && (
        <div role="status">
          <Facts
            facts={[
              [texts.action, texts.actions[data.action] ?? data.action],
              data.remedy === null ? null : [texts.remedy, data.remedy],
              [texts.rule, <code key="rule">{data.rule}</code>]
            ]}
          />
        </div>
      )}
    </Dialog>
  )
}
