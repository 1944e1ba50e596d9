interface JsonFileFieldProps {
  label: string
  onChoose: (file: File | undefined) => void
}

/** A file of JSON that has to be chosen. */
export function JsonFileField({ label, onChoose }: JsonFileFieldProps) {
  return (
    <label class="field">
      {label}
      <input
        type="file"
        accept="application/json,.json"
        required
        onChange={event => onChoose(event.currentTarget.files?.[0])}
      />
    </label>
  )
}
