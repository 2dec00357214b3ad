//! One suite for every engine: `POSTRIDER_TEST_DATABASE` chooses it.

#[cfg(test)]
mod backup;
#[cfg(test)]
mod broadcasts;
#[cfg(test)]
mod campaigns;
#[cfg(test)]
mod data_tables;
#[cfg(test)]
mod executor;
#[cfg(test)]
mod files;
#[cfg(test)]
mod lists;
#[cfg(test)]
mod message_templates;
#[cfg(test)]
mod moving;
#[cfg(test)]
mod opening;
#[cfg(test)]
mod opening_postgres;
#[cfg(test)]
mod people;
#[cfg(test)]
mod resources;
#[cfg(test)]
mod sample;
#[cfg(test)]
mod schedules;
#[cfg(test)]
mod short_links;
#[cfg(test)]
mod statistics;
#[cfg(test)]
mod tasks;
#[cfg(test)]
mod tenancy;
#[cfg(test)]
mod upkeep;
#[cfg(test)]
mod usage;

#[cfg(test)]
mod backend;

#[cfg(test)]
use backend::Backend;

macro_rules! conformance {
    ($name:ident: $backend:ty; $($module:ident { $($test:ident)* })*) => {
        mod $name {
            $(mod $module {
                $(#[test]
                fn $test() {
                    crate::$module::$test::<$backend>();
                })*
            })*
        }
    };
}

conformance! {
    engine: hub_store::testing::TestDatabase;
    files {
        a_file_reads_back_and_is_one_of_its_content
        what_is_named_stays_until_nothing_names_it
        what_has_had_its_time_goes_unless_it_is_named
        what_a_message_brought_stays_for_a_while_after_its_last_name
        a_message_names_what_it_carries_while_it_is_there
    }
    campaigns {
        a_campaign_reads_back_and_an_old_change_is_not_stored
        what_waits_for_its_time_is_found_when_it_has_come
        a_list_finds_campaigns_by_what_they_name
        who_answers_is_of_campaigns_that_wrote_not_long_ago
    }
    schedules {
        a_schedule_reads_back_with_whom_it_is_for
    }
    message_templates {
        a_template_reads_back_as_it_changes
        a_template_is_found_by_its_name_in_its_project
    }
    tasks {
        a_task_reads_back_as_it_changes
        the_oldest_task_under_way_of_each_project_is_found
        a_contact_is_taken_once_until_its_task_ends
        a_task_that_goes_through_a_file_reads_back
        parts_and_bad_rows_are_there_until_their_task_ends
    }
    executor {
        parameters_keep_their_numbers
        what_a_job_holds_is_gone_when_it_is_answered
        a_job_that_fails_takes_nobody_with_it
        a_job_that_fails_costs_its_group_one_commit_more
        an_error_before_the_first_write_is_an_answer
        an_error_after_a_write_is_rolled_back_alone
        a_write_that_returns_rows_is_rolled_back_too
        an_error_that_hides_a_failed_statement_is_rolled_back
        a_job_that_panics_takes_nobody_with_it
        a_job_that_goes_on_after_an_error_is_undone
        a_full_share_says_so_at_once_and_others_have_room
        a_job_that_does_too_much_is_undone_and_its_company_is_not
        large_jobs_of_one_project_let_many_small_ones_of_another_go_first
        one_project_s_readings_leave_a_reader_for_others_and_one_for_the_hub
        of_projects_that_wait_each_has_one_reader_and_a_third_finds_one
        a_limit_within_another_ends_with_the_earlier_one
        a_reading_that_nobody_waits_for_is_not_begun
        a_read_sees_one_state_and_writes_nothing
        the_readings_of_a_request_have_one_limit_together
        dropping_the_store_does_what_waits
        another_process_is_noticed_and_our_own_writes_are_not
        a_statement_past_its_time_is_broken_off
        values_of_every_kind_read_back
        threads_of_many_callers_lose_nothing
    }
    resources {
        every_field_of_a_resource_reads_back
        what_hubs_keep_in_memory_is_told_of_where_it_is_stored
        a_changed_resource_reads_back
        a_queue_goes_by_priority_and_age_and_leaves_out_what_is_not_for_it
        exposures_are_found_by_their_device
        a_life_that_ended_is_found_once_dealt_with_no_more
        messages_stored_together_read_back_one_by_one
        counters_follow_the_messages
        a_contact_is_found_by_its_number_and_by_its_end
        a_call_keeps_its_length_and_its_ring
        what_is_simulated_is_found_route_by_route
        a_row_that_cannot_be_read_is_set_aside_with_its_columns
    }
    upkeep {
        events_of_one_message_come_one_after_the_other
        a_delivery_keeps_its_attempts_and_a_project_its_newest
        a_delivery_goes_with_its_message
        events_are_found_endpoint_by_endpoint
        what_others_changed_is_told_once_and_in_order
        an_answer_is_kept_once_and_thirty_days
        a_step_of_a_purge_is_bounded
        an_alert_stands_once_until_it_is_cleared
        a_generation_only_rises
        keys_go_on_above_the_highest
        keys_rise_whoever_makes_them
    }
    lists {
        filters_agree_with_a_plain_scan
        pages_hold_every_row_once_while_others_come
        a_page_says_what_follows
        messages_are_found_by_the_second_in_which_they_were_made
        a_list_of_nothing_is_empty
    }
    people {
        lists_of_contacts_agree_with_a_plain_model
        pages_of_contacts_miss_and_repeat_nobody_who_stays
        a_dynamic_group_is_the_list_of_its_conditions
        a_large_group_is_gone_at_once_and_its_members_go_in_steps
        however_many_contacts_end_alike_the_very_number_is_found
        contacts_looked_up_together_are_those_found_one_by_one
        what_was_looked_up_together_follows_its_job_alone
    }
    data_tables {
        a_table_its_rows_and_its_views_read_back
        lists_of_rows_and_views_agree_with_a_plain_model
        of_rows_with_one_key_the_oldest_is_found
        values_are_counted_as_they_were_written
        a_variable_is_found_however_long_it_is
        a_deleted_table_is_gone_at_once_and_its_rows_go_in_steps
    }
    broadcasts {
        a_broadcast_reads_back_with_its_numbers
        counts_follow_the_messages_of_a_unit_of_work
        a_broadcast_that_was_paid_for_in_several_currencies_has_no_price
        a_step_is_taken_once_and_not_after_a_cancel
        projects_and_their_broadcasts_take_turns
        a_cancelled_broadcast_is_walked_through_once
    }
    usage {
        what_there_is_is_counted_by_quarter_hours_of_each_change
        messages_that_leave_stay_counted_and_those_that_are_kept_do_not
        a_job_that_is_held_to_limits_does_not_go_beyond_them
        a_day_gives_no_more_requests_than_it_has
    }
    short_links {
        a_link_reads_back_and_counts_its_first_click
        a_link_goes_with_a_deleted_message_and_outlives_an_old_one
        a_link_lasts_as_long_from_each_queueing_on
        a_domain_is_registered_once_and_for_whom_it_was_last
    }
    statistics {
        a_message_is_counted_as_what_it_is_now
        what_a_failed_job_counted_is_not_counted
        a_day_s_sums_follow_its_counters
        old_messages_are_counted_once_while_they_change
        messages_that_are_gone_stay_counted
        links_are_counted_as_a_recount_counts_them
        a_thousand_destinations_of_a_day_have_names
        links_that_do_not_count_and_messages_from_before_are_as_without_links
        what_a_message_was_counted_under_goes_with_it
    }
    tenancy {
        no_id_of_another_project_is_found
        nothing_of_another_project_is_changed
        lists_hold_one_project_alone
        a_key_for_one_project_lists_that_one
    }
}
