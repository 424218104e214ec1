/**
 * The identity providers at which members of the company sign in.
 *
 * @module
 */
import { Entries } from "../../parts/list/Entries.tsx"
import { useState } from "react"
import { call } from "../../api/call.ts"
import { type ItemOf, useChange, useExtra, useList } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useSession } from "../../app/session.ts"
import { Button } from "../../parts/form/Button.tsx"
import { Checkbox, Field, Input, PasswordInput, Select } from "../../parts/form/Field.tsx"
import { ConfirmDialog, Dialog } from "../../parts/overlay/Dialog.tsx"
import { useAction } from "../../parts/overlay/useAction.ts"
import { ErrorBanner } from "../../parts/page/Banner.tsx"
import { Entry, Row } from "../../parts/page/Columns.tsx"
import { Section } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { Code } from "../../parts/show/Code.tsx"
import { CopyButton } from "../../parts/show/CopyButton.tsx"

const listRoute = "GET /companies/:companyId/identity-providers"

const AddDialog = ({ companyId, onClose }: { readonly companyId: string; readonly onClose: () => void }) => {
  const { common, members, providers: texts } = useTexts()
  const [values, setValues] = useState<Readonly<Record<string, string>>>({ issuer: "https://" })
  const [role, setRole] = useState("")
  const [isRequired, setRequired] = useState(false)
  const { data, error, isPending, mutate } = useChange("POST /companies/:companyId/identity-providers", {
    renews: [listRoute]
  })
  if (data !== undefined)
    return (
      <Dialog
        isOpen
        onClose={onClose}
        title={texts.redirectTitle(data.name)}
        text={texts.redirectText}
        actions={
          <Button tone="primary" onClick={onClose}>
            {common.done}
          </Button>
        }
      >
        <Code label={texts.redirect}>{data.redirectUri}</Code>
      </Dialog>
    )
  const given = (key: string) => (values[key] ?? "").trim()
  const bind = (key: string) => ({
    value: values[key] ?? "",
    autoComplete: "off",
    onChange: (event: { readonly target: { readonly value: string } }) =>
      setValues({ ...values, [key]: event.target.value })
  })
  const create = () =>
    mutate({
      params: { companyId },
      body: {
        name: given("name"),
        issuer: given("issuer"),
        clientId: given("clientId"),
        clientSecret: values["clientSecret"] ?? "",
        emailDomains: given("emailDomains")
          .split(",")
          .map((domain) => domain.trim())
          .filter((domain) => domain !== ""),
        defaultRole: role === "" ? null : role,
        required: isRequired
      }
    })
  const errorOf = (key: string) =>
    Object.entries(error?.fields ?? {}).find(([field]) => field.startsWith(key))?.[1]
  const known = ["name", "issuer", "clientId", "clientSecret", "emailDomains", "defaultRole"]
  const isShown = known.some((key) => errorOf(key) !== undefined)
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={create}
      title={texts.add}
      text={texts.addText}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" tone="primary" isBusy={isPending}>
            {common.add}
          </Button>
        </>
      }
    >
      {error !== null && !isShown && <ErrorBanner error={error} />}
      <Field label={texts.name} hint={texts.nameHint} error={errorOf("name")}>
        <Input {...bind("name")} />
      </Field>
      <Field label={texts.issuer} hint={texts.issuerHint} error={errorOf("issuer")}>
        <Input type="url" dir="ltr" {...bind("issuer")} />
      </Field>
      <Field label={texts.clientId} error={errorOf("clientId")}>
        <Input dir="ltr" {...bind("clientId")} />
      </Field>
      <Field label={texts.clientSecret} error={errorOf("clientSecret")}>
        <PasswordInput {...bind("clientSecret")} autoComplete="new-password" />
      </Field>
      <Field label={texts.domains} hint={texts.domainsHint} error={errorOf("emailDomains")}>
        <Input dir="ltr" {...bind("emailDomains")} />
      </Field>
      <Field label={texts.role} error={errorOf("defaultRole")}>
        <Select
          value={role}
          onChange={(event) => setRole(event.target.value)}
          options={[
            { value: "", label: texts.noRole },
            ...Object.entries(members.roles)
              .filter(([value]) => value !== "Owner")
              .map(([value, label]) => ({ value, label }))
          ]}
        />
      </Field>
      <Checkbox
        label={texts.required}
        hint={texts.requiredHint}
        checked={isRequired}
        onChange={(event) => setRequired(event.target.checked)}
      />
    </Dialog>
  )
}

/** The list. */
export const IdentityProviders = ({ companyId }: { readonly companyId: string }) => {
  const { providers: texts } = useTexts()
  const format = useFormat()
  const { memberships, operator } = useSession()
  const list = useList(listRoute, { params: { companyId } })
  const { isBusy, run } = useAction([listRoute])
  const [open, setOpen] = useState<{ readonly id: string; readonly name: string } | "add" | null>(null)
  // The owner of a provider can sign in as anybody of its domains.
  const mayWrite =
    operator || memberships.some(({ company, role }) => company.id === companyId && role === "Owner")
  const members = useExtra(
    "GET /companies/:companyId/members",
    { params: { companyId }, query: { limit: 1, count: "exact" } },
    { enabled: open !== null && open !== "add" }
  )?.totalCount
  const close = () => setOpen(null)
  const remove = (id: string, name: string) => {
    const params = { companyId, id }
    close()
    void run(
      () => call("DELETE /companies/:companyId/identity-providers/:id", { params }),
      texts.removed(name),
      undefined,
      (one: ItemOf<typeof listRoute>) => (one.id === id ? null : one)
    )
  }
  return (
    <Section
      title={texts.tab}
      text={texts.text}
      actions={
        mayWrite && (
          <Button isSmall icon="plus" onClick={() => setOpen("add")}>
            {texts.add}
          </Button>
        )
      }
    >
      <Entries list={list} empty={texts.none}>
        {({ emailDomains, id, issuer, name, redirectUri, required }) => (
          <Entry
            key={id}
            text={
              <>
                {[issuer, ...emailDomains].join(" · ")}
                <br />
                {texts.redirect}: {redirectUri}
              </>
            }
            end={
              <Row>
                <CopyButton value={redirectUri} />
                {mayWrite && (
                  <Button isSmall tone="danger" onClick={() => setOpen({ id, name })}>
                    {texts.remove}
                  </Button>
                )}
              </Row>
            }
          >
            <bdi>{name}</bdi>
            {required && <Badge tone="accent">{texts.isRequired}</Badge>}
          </Entry>
        )}
      </Entries>
      {open === "add" && <AddDialog companyId={companyId} onClose={close} />}
      {open !== null && open !== "add" && (
        <ConfirmDialog
          isOpen
          isBusy={isBusy}
          onClose={close}
          title={texts.removeTitle(open.name)}
          text={members === undefined ? null : texts.removeText(format.number(members), members)}
          action={texts.remove}
          onConfirm={() => remove(open.id, open.name)}
        />
      )}
    </Section>
  )
}
