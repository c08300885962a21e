/** Whether staff watch the doors of a list, and what each device can serve, as its last sync told: empty for nothing. */
export const migration0032 = {
  name: '0032-attendance-of-lists',
  sql: `
ALTER TABLE lists
  ADD COLUMN attendance text NOT NULL DEFAULT 'staffed' CHECK (attendance IN ('staffed', 'unattended')),
  ADD CHECK (attendance = 'staffed' OR head_turn_alternative <> 'staff');
ALTER TABLE devices ADD COLUMN attendances text[] NOT NULL DEFAULT '{}';
`,
} as const;
