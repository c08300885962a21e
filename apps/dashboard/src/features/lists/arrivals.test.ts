import { expect, it } from 'vitest';
import { unsentDoors } from './arrivals.tsx';

it('doors that have not reported since the end are named', () => {
  const door = (name: string, reportedAt: string | null) => {
    return { deviceId: 'dev_1', name, reportedAt, admitted: 0, toStaff: 0, notEnrolled: 0 };
  };
  const doors = [
    door('Early', '2026-05-01T20:59:59.000Z'),
    door('Late', '2026-05-01T21:05:00.000Z'),
    door('Mute', null),
  ];
  expect(unsentDoors(doors, '2026-05-01T21:00:00.000Z')).toEqual(['Early', 'Mute']);
});
