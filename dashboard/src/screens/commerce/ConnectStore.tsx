/**
 * The dialog that connects a store and shows its secret once.
 *
 * @module
 */
import { optionsOf } from "../../lib/options.ts"
import { useState } from "react"
import { useChange } from "../../api/queries.ts"
import { useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { Field, Input, PasswordInput, Select } from "../../parts/form/Field.tsx"
import { CreateDialog } from "../../parts/overlay/CreateDialog.tsx"

const platforms = ["Shopify", "WooCommerce", "Custom"] as const

const known = ["name", "domain", "currency", "webhookSecret"]

/** The dialog. */
export const ConnectStore = ({ onClose }: { readonly onClose: () => void }) => {
  const { stores: texts } = useTexts()
  const { id: accountId } = useAccount()
  const [platform, setPlatform] = useState<string>(platforms[0])
  const [consentMode, setConsentMode] = useState("Explicit")
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const change = useChange("POST /accounts/:accountId/stores", {
    renews: ["GET /accounts/:accountId/stores"]
  })
  const valueOf = (key: string) => (values[key] ?? "").trim()
  const field = (key: string) => ({
    value: values[key] ?? "",
    autoComplete: "off",
    onChange: (event: { readonly target: { readonly value: string } }) =>
      setValues({ ...values, [key]: event.target.value })
  })
  const errorOf = (key: string) => change.error?.fields[key]
  const isShopify = platform === "Shopify"
  const connect = () =>
    change.mutate({
      params: { accountId },
      body: {
        platform,
        name: valueOf("name"),
        domain: valueOf("domain"),
        consentMode,
        currency: valueOf("currency") === "" ? null : valueOf("currency").toUpperCase(),
        ...(isShopify && valueOf("webhookSecret") !== "" ? { webhookSecret: valueOf("webhookSecret") } : {})
      }
    })
  return (
    <CreateDialog
      change={change}
      onClose={onClose}
      onSubmit={connect}
      title={texts.connect}
      text={texts.connectText}
      action={texts.connect}
      known={known}
      shown={({ id, name, token, webhookSecret, ...store }) => {
        const address = (end: string) => `${location.origin}/ingest/v1/stores/${id}/${end}`
        const shown = { title: texts.connectedTitle(name), note: texts.once }
        if (store.platform === "WooCommerce")
          return {
            ...shown,
            label: texts.webhookSecret,
            secret: webhookSecret,
            text: texts.webhookText(address("woocommerce"))
          }
        return {
          ...shown,
          label: texts.token,
          secret: token,
          text:
            store.platform === "Shopify"
              ? texts.shopifyText(address("shopify"))
              : texts.tokenText(address("events"))
        }
      }}
    >
      <Field label={texts.platform}>
        <Select
          value={platform}
          onChange={(event) => setPlatform(event.target.value)}
          options={platforms.map((value) => ({ value, label: value }))}
        />
      </Field>
      <Field label={texts.name} hint={texts.nameHint} error={errorOf("name")}>
        <Input {...field("name")} />
      </Field>
      <Field label={texts.domain} hint={texts.domainHint} error={errorOf("domain")}>
        <Input {...field("domain")} dir="ltr" />
      </Field>
      <Field label={texts.consent}>
        <Select
          value={consentMode}
          onChange={(event) => setConsentMode(event.target.value)}
          options={optionsOf(texts.modes)}
        />
      </Field>
      <Field label={texts.currency} hint={texts.currencyHint} error={errorOf("currency")} isOptional>
        <Input {...field("currency")} dir="ltr" />
      </Field>
      {isShopify && (
        <Field
          label={texts.shopifySecret}
          hint={texts.shopifySecretHint}
          error={errorOf("webhookSecret")}
          isOptional
        >
          <PasswordInput {...field("webhookSecret")} />
        </Field>
      )}
    </CreateDialog>
  )
}
