/**
 * Area under the ROC curve: how often a person scores higher than an attack, ties counted by half (Mann–Whitney). 1 where they are told apart, 0.5 where
 * nothing is.
 *
 * @returns NaN where either is empty
 */
export function areaUnderCurve(people: readonly number[], attacks: readonly number[]): number {
  let won = 0;
  for (const person of people) {
    for (const attack of attacks) won += person > attack ? 1 : person === attack ? 0.5 : 0;
  }
  return won / (people.length * attacks.length);
}
