/**
 * One segment, or a new one: its rules, a sentence that describes them, and the people they currently select.
 *
 * @module
 */
import { optionsOf } from "../../../lib/options.ts"
import { useQueryClient } from "@tanstack/react-query"
import { getRouteApi, useNavigate } from "@tanstack/react-router"
import { type ReactNode, useMemo, useRef, useState } from "react"
import { call, callTagged, type ValueOf } from "../../../api/call.ts"
import type { ApiError } from "../../../api/errors.ts"
import { useApi, useChange, useTagged } from "../../../api/queries.ts"
import { useTexts } from "../../../app/reader.tsx"
import { useAccount } from "../../../app/session.ts"
import { clauseOf, type Definition, isEntered, type Parts, ruleOf, sentenceOf } from "../../../lib/segment.ts"
import { Button, ButtonLink } from "../../../parts/form/Button.tsx"
import { Field, Input, Select, TextArea } from "../../../parts/form/Field.tsx"
import { ConfirmDialog } from "../../../parts/overlay/Dialog.tsx"
import { toast } from "../../../parts/overlay/toasts.ts"
import { useAction } from "../../../parts/overlay/useAction.ts"
import { Banner, ErrorBanner } from "../../../parts/page/Banner.tsx"
import { Columns, Row } from "../../../parts/page/Columns.tsx"
import { Loaded } from "../../../parts/page/Loaded.tsx"
import { Page, Section } from "../../../parts/page/Page.tsx"
import { useEditorTexts } from "../../../texts/editors/useEditorTexts.ts"
import { EditedMeanwhile, isEditedMeanwhile } from "../../editors/EditedMeanwhile.tsx"
import { LeaveGuard } from "../../editors/LeaveGuard.tsx"
import { UsedBy, useUsedByText } from "../../editors/UsedBy.tsx"
import { Reach } from "./Reach.tsx"
import { RuleRow } from "./RuleRow.tsx"
import styles from "./Segment.module.css"
import { Trend } from "./Trend.tsx"
import { useWords } from "./useWords.ts"

const listRoute = "GET /accounts/:accountId/segments"
const oneRoute = "GET /accounts/:accountId/segments/:id"

type Stored = ValueOf<typeof oneRoute>

/** What is being edited. Rules have keys, so that a row keeps its state when another is removed. */
interface Draft {
  readonly name: string
  readonly description: string
  readonly join: string
  readonly rules: ReadonlyArray<Definition["rules"][number] & { readonly key: number }>
}

let lastKey = 0
const keyed = <Rule extends object>(rule: Rule) => ({ ...rule, key: ++lastKey })

const draftOf = ({
  definition,
  description,
  name
}: Pick<Stored, "definition" | "description" | "name">): Draft => ({
  name,
  description: description ?? "",
  join: definition.join,
  rules: definition.rules.map(keyed)
})

const definitionOf = ({ join, rules }: Draft): Definition => ({
  join,
  rules: rules.map(({ fieldKey, operator, value }) => ({ fieldKey, operator, value: value ?? null }))
})

/** Serialises a draft, to compare two of them. */
const useTextOf = (parts: Parts) => {
  const words = useWords()
  const { segment: texts } = useEditorTexts()
  return (draft: Draft): string =>
    [
      draft.name,
      draft.description,
      texts.joins[draft.join] ?? draft.join,
      ...draft.rules.map((rule) => clauseOf(rule, parts, words))
    ].join("\n")
}

const Editor = ({
  children,
  etag,
  parts,
  segment,
  start
}: {
  /** The stored segment; null for a new one. */
  readonly segment: Stored | null
  readonly etag: string | null
  readonly start: Draft
  readonly parts: Parts
  /** Content below the form. */
  readonly children?: ReactNode
}) => {
  const { common } = useTexts()
  const { segment: texts } = useEditorTexts()
  const words = useWords()
  const textOf = useTextOf(parts)
  const navigate = useNavigate()
  const client = useQueryClient()
  const { can, id: accountId } = useAccount()
  const [saved, setSaved] = useState(start)
  const [draft, setDraft] = useState(start)
  const [tag, setTag] = useState(etag)
  const [theirs, setTheirs] = useState<{ readonly draft: Draft; readonly tag: string | null } | null>(null)
  const [fields, setFields] = useState<Readonly<Record<string, string>>>({})
  const [isRemoving, setRemoving] = useState(false)
  const rows = useRef<HTMLUListElement>(null)
  const adding = useRef<HTMLButtonElement>(null)
  const isLeaving = useRef(false)
  const create = useChange("POST /accounts/:accountId/segments", { renews: [listRoute] })
  const [failure, setFailure] = useState<ApiError | null>(null)
  const { isBusy, run } = useAction([listRoute])
  const [isSaving, setSaving] = useState(false)
  const mayWrite = can("segments:write") && (segment === null || segment.builtInKey === null)
  const definition = useMemo(() => definitionOf(draft), [draft])
  const missing = draft.rules.flatMap((rule, at) => (isEntered(rule, parts) ? [] : [at + 1]))
  const isChanged = () => mayWrite && !isLeaving.current && textOf(draft) !== textOf(saved)
  const error = failure ?? create.error
  const change = (values: Partial<Draft>) => setDraft({ ...draft, ...values })

  const leaveTo = (id: string | null) => {
    isLeaving.current = true
    void (id === null
      ? navigate({ to: "/a/$accountId/people/segments", params: { accountId } })
      : navigate({ to: "/a/$accountId/people/segments/$segmentId", params: { accountId, segmentId: id } }))
  }

  const save = async (ifMatch: string | null) => {
    const body = {
      name: draft.name.trim(),
      description: draft.description.trim() === "" ? null : draft.description.trim(),
      definition
    }
    if (segment === null) {
      create.mutate(
        { params: { accountId }, body },
        {
          onSuccess: ({ id, name }) => {
            toast(texts.created(name))
            leaveTo(id)
          }
        }
      )
      return
    }
    const params = { accountId, id: segment.id }
    setSaving(true)
    setFailure(null)
    try {
      const { etag: next } = await callTagged(
        "PATCH /accounts/:accountId/segments/:id",
        { params, body },
        { ifMatch: ifMatch ?? undefined }
      )
      setTag(next)
      setSaved(draft)
      setTheirs(null)
      toast(texts.saved)
      for (const route of [listRoute, oneRoute]) void client.invalidateQueries({ queryKey: [route] })
    } catch (refused) {
      const problem = refused as ApiError
      setFailure(problem)
      if (isEditedMeanwhile(problem)) {
        const current = await callTagged(oneRoute, { params })
        setTheirs({ draft: draftOf(current.value), tag: current.etag })
      }
    } finally {
      setSaving(false)
    }
  }

  const takeTheirs = () => {
    if (theirs === null) return
    setDraft(theirs.draft)
    setSaved(theirs.draft)
    setTag(theirs.tag)
    setTheirs(null)
    setFailure(null)
  }

  const remove = async () => {
    if (segment === null) return
    const params = { accountId, id: segment.id }
    if (
      await run(
        () => call("DELETE /accounts/:accountId/segments/:id", { params }),
        texts.removed(segment.name)
      )
    )
      leaveTo(null)
    setRemoving(false)
  }

  const addRule = () => {
    change({ rules: [...draft.rules, keyed(ruleOf(parts.fields[0]?.key ?? "email", parts))] })
    // The new row must be rendered before it can get the focus.
    setTimeout(() => rows.current?.querySelector<HTMLElement>("[data-rule]:last-child select")?.focus())
  }

  const removeRule = (at: number) => {
    change({ rules: draft.rules.filter((_, index) => index !== at) })
    adding.current?.focus()
  }

  const errorOf = (at: number): string | undefined =>
    Object.entries(error?.fields ?? fields).find(([path]) => path.startsWith(`definition.rules[${at}]`))?.[1]

  const isKnown = Object.keys(error?.fields ?? {}).length > 0
  return (
    <Columns aside={<Reach definition={definition} missing={missing} onFields={setFields} />}>
      <form
        className={styles["form"]}
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void save(tag)
        }}
      >
        {segment !== null && segment.builtInKey !== null && <Banner>{texts.builtIn}</Banner>}
        {theirs !== null && failure !== null ? (
          <EditedMeanwhile
            error={failure}
            isBusy={isSaving}
            mine={textOf(draft)}
            theirs={textOf(theirs.draft)}
            onTakeTheirs={takeTheirs}
            onSaveMine={() => void save(theirs.tag)}
          />
        ) : (
          error !== null && !isKnown && <ErrorBanner error={error} />
        )}
        {mayWrite && (
          <>
            <Field label={texts.name} error={error?.fields["name"]}>
              <Input
                value={draft.name}
                autoComplete="off"
                onChange={(event) => change({ name: event.target.value })}
              />
            </Field>
            <Field label={texts.description} isOptional error={error?.fields["description"]}>
              <TextArea
                rows={2}
                value={draft.description}
                onChange={(event) => change({ description: event.target.value })}
              />
            </Field>
            <Section title={texts.rules}>
              <div className={styles["join"]}>
                <Field label={texts.join}>
                  <Select
                    value={draft.join}
                    options={optionsOf(texts.joins)}
                    onChange={(event) => change({ join: event.target.value })}
                  />
                </Field>
              </div>
              {draft.rules.length === 0 ? (
                <p className={styles["soft"]}>{texts.noRules}</p>
              ) : (
                <ul ref={rows} className={styles["rules"]}>
                  {draft.rules.map((rule, at) => (
                    <RuleRow
                      key={rule.key}
                      rule={rule}
                      parts={parts}
                      number={at + 1}
                      error={errorOf(at)}
                      onRemove={() => removeRule(at)}
                      onChange={(next) => {
                        setFailure(null)
                        change({
                          rules: draft.rules.map((one) =>
                            one.key === rule.key ? { ...next, key: rule.key } : one
                          )
                        })
                      }}
                    />
                  ))}
                </ul>
              )}
              <Row>
                <Button ref={adding} icon="plus" onClick={addRule}>
                  {texts.addRule}
                </Button>
              </Row>
            </Section>
          </>
        )}
        <Section title={texts.inWords}>
          <p className={styles["sentence"]} dir="auto">
            {sentenceOf(definition, parts, words)}
          </p>
        </Section>
        <Row>
          {mayWrite && (
            <Button type="submit" tone="primary" isBusy={isSaving || create.isPending}>
              {segment === null ? texts.create : common.save}
            </Button>
          )}
          {segment !== null && can("contacts:read") && (
            <ButtonLink to="/a/$accountId/people" params={{ accountId }} search={{ segment: segment.id }}>
              {texts.showPeople}
            </ButtonLink>
          )}
          {segment !== null && can("segments:write") && (
            <ButtonLink
              to="/a/$accountId/people/segments/new"
              params={{ accountId }}
              search={{ copy: segment.id }}
            >
              {texts.copy}
            </ButtonLink>
          )}
          {segment !== null && mayWrite && (
            <Button tone="danger" onClick={() => setRemoving(true)}>
              {texts.remove}
            </Button>
          )}
        </Row>
      </form>
      {children}
      <LeaveGuard isChanged={isChanged} />
      {isRemoving && segment !== null && (
        <RemoveDialog
          segment={segment}
          isBusy={isBusy}
          onClose={() => setRemoving(false)}
          onConfirm={() => void remove()}
        />
      )}
    </Columns>
  )
}

/** Asks for confirmation before a segment is deleted, and says how many flows and campaigns use it. */
const RemoveDialog = ({
  isBusy,
  onClose,
  onConfirm,
  segment
}: {
  readonly segment: Stored
  readonly isBusy: boolean
  readonly onClose: () => void
  readonly onConfirm: () => void
}) => {
  const { segment: texts } = useEditorTexts()
  const { id: accountId } = useAccount()
  const usedBy = useUsedByText()
  const { data, error, refetch } = useApi("GET /accounts/:accountId/segments/:id/usage", {
    params: { accountId, id: segment.id }
  })
  return (
    <ConfirmDialog
      isOpen
      title={texts.removeTitle(segment.name)}
      text={data === undefined ? null : texts.removeText(usedBy(data))}
      action={texts.remove}
      isBusy={isBusy}
      onClose={onClose}
      onConfirm={onConfirm}
    >
      {error !== null && <ErrorBanner error={error} onRetry={() => void refetch()} />}
    </ConfirmDialog>
  )
}

const usePage = () => {
  const { people } = useTexts()
  const { id: accountId } = useAccount()
  const parts = useApi("GET /accounts/:accountId/segments/fields", { params: { accountId } })
  const back = {
    link: { to: "/a/$accountId/people/segments" as const, params: { accountId } },
    label: people.tabs.segments
  }
  return { accountId, back, parts }
}

/** Where a segment is used. */
const Usage = ({ accountId, segmentId }: { readonly accountId: string; readonly segmentId: string }) => {
  const { segment: texts } = useEditorTexts()
  const query = useApi("GET /accounts/:accountId/segments/:id/usage", {
    params: { accountId, id: segmentId }
  })
  return (
    <Section title={texts.usage}>
      <Loaded query={query}>{(usage) => <UsedBy usage={usage} none={texts.noUsage} />}</Loaded>
    </Section>
  )
}

const segmentRoute = getRouteApi("/shell/a/$accountId/people/segments/$segmentId")

/** The screen of one segment. */
export const Segment = () => {
  const { segments } = useTexts()
  const { segmentId } = segmentRoute.useParams()
  const { accountId, back, parts } = usePage()
  const query = useTagged(oneRoute, { params: { accountId, id: segmentId } })
  return (
    <Page title={query.data?.value.name ?? segments.name} back={back}>
      <Loaded thing="Segment" query={query}>
        {({ etag, value }) => (
          <Loaded query={parts}>
            {(known) => (
              <Editor key={value.id} segment={value} etag={etag} parts={known} start={draftOf(value)}>
                <Trend segment={value} />
                <Usage accountId={accountId} segmentId={value.id} />
              </Editor>
            )}
          </Loaded>
        )}
      </Loaded>
    </Page>
  )
}

const newRoute = getRouteApi("/shell/a/$accountId/people/segments/new")

/** The screen of a new segment, either empty or a copy. */
export const NewSegment = () => {
  const { segment: texts } = useEditorTexts()
  const { copy } = newRoute.useSearch()
  const { accountId, back, parts } = usePage()
  const copied = useApi(oneRoute, { params: { accountId, id: copy ?? "" } }, { enabled: copy !== undefined })
  const empty = { name: "", description: null, definition: { join: "All", rules: [] } }
  return (
    <Page title={texts.new} back={back}>
      <Loaded query={parts}>
        {(known) =>
          copy === undefined ? (
            <Editor key="new" segment={null} etag={null} parts={known} start={draftOf(empty)} />
          ) : (
            <Loaded thing="Segment" query={copied}>
              {(one) => (
                <Editor
                  key={copy}
                  segment={null}
                  etag={null}
                  parts={known}
                  start={draftOf({ ...one, name: texts.copyName(one.name) })}
                />
              )}
            </Loaded>
          )
        }
      </Loaded>
    </Page>
  )
}
